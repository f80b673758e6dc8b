package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.internal.syncguard.DisplayHash;
import io.fenceline.internal.syncguard.StorageNames;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Does to a Redis what SyncGuard 2.5 was seen to do, by steps of our own writing: the order of its decisions, the names, the
 * JSON, the expiries, and its weak sides. {@link RealSyncGuardTest} compares it with SyncGuard itself where that is installed.
 */
final class SyncGuardDouble implements SyncGuardPeer {

    private static final String COMMON = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local function live(lock) return lock.expiresAtMs > now - 1000 end
            """;

    private static final String ACQUIRE = COMMON + """
            local json = redis.call('GET', KEYS[1])
            if json and live(cjson.decode(json)) then return 0 end
            local fence = string.format('%015.0f', redis.call('INCR', KEYS[3]))
            local lock = { lockId = ARGV[1], expiresAtMs = now + ARGV[2], acquiredAtMs = now, key = ARGV[3], fence = fence }
            redis.call('SET', KEYS[1], cjson.encode(lock), 'PX', ARGV[2])
            redis.call('SET', KEYS[2], KEYS[1], 'PX', ARGV[2])
            return { 1, fence, string.format('%.0f', lock.expiresAtMs) }
            """;

    private static final String FOUND = COMMON + """
            local name = redis.call('GET', KEYS[1])
            local json = name and redis.call('GET', name)
            local lock = json and cjson.decode(json)
            if lock and not live(lock) and CLEANS then redis.call('DEL', name, KEYS[1]) end
            if not lock or not live(lock) or lock.lockId ~= ARGV[1] then return 0 end
            """;

    private static final String RELEASE = FOUND.replace("CLEANS", "true") + """
            redis.call('DEL', name, KEYS[1])
            return 1
            """;

    private static final String EXTEND = FOUND.replace("CLEANS", "true") + """
            lock.expiresAtMs = now + ARGV[2]
            redis.call('SET', name, cjson.encode(lock), 'PX', ARGV[2])
            redis.call('SET', KEYS[1], name, 'PX', ARGV[2])
            return { 1, string.format('%.0f', lock.expiresAtMs) }
            """;

    private static final String DESCRIBED = """
            return { lock.key, lock.lockId, string.format('%.0f', lock.expiresAtMs),
              string.format('%.0f', lock.acquiredAtMs), lock.fence }
            """;

    private static final String LOOKUP_ID = FOUND.replace("CLEANS", "false") + DESCRIBED;

    private static final String LOOKUP_KEY = COMMON + """
            local json = redis.call('GET', KEYS[1])
            local lock = json and cjson.decode(json)
            if not lock or not live(lock) then return 0 end
            """ + DESCRIBED;

    private final StorageNames names;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    SyncGuardDouble(int port, String prefix) {
        names = StorageNames.onRedis(prefix);
        client = RedisClient.create("redis://127.0.0.1:" + port);
        redis = client.connect().sync();
    }

    @Override
    public Optional<Taken> acquire(String key, long ttlMillis) {
        String lockId = LockId.random().text();
        String[] keys = {names.lock(key), names.index(lockId), names.fence(key)};
        return run(ACQUIRE, keys, lockId, Long.toString(ttlMillis), key)
                .map(answer -> new Taken(lockId, Long.parseLong(answer.get(2)), answer.get(1)));
    }

    @Override
    public boolean release(String lockId) {
        return run(RELEASE, index(lockId), lockId).isPresent();
    }

    @Override
    public Optional<Long> extend(String lockId, long ttlMillis) {
        return run(EXTEND, index(lockId), lockId, Long.toString(ttlMillis))
                .map(answer -> Long.parseLong(answer.get(1)));
    }

    @Override
    public boolean isLocked(String key) {
        return lookupKey(key).isPresent();
    }

    @Override
    public Optional<Seen> lookupKey(String key) {
        return run(LOOKUP_KEY, new String[] {names.lock(key)}).map(SyncGuardDouble::seen);
    }

    @Override
    public Optional<Seen> lookupId(String lockId) {
        return run(LOOKUP_ID, index(lockId), lockId).map(SyncGuardDouble::seen);
    }

    private String[] index(String lockId) {
        return new String[] {names.index(lockId)};
    }

    private static Seen seen(List<String> answer) {
        return new Seen(
                DisplayHash.of(answer.get(0)),
                DisplayHash.of(answer.get(1)),
                Long.parseLong(answer.get(2)),
                Long.parseLong(answer.get(3)),
                answer.get(4));
    }

    /** The texts of an answer; empty for 0. */
    private Optional<List<String>> run(String script, String[] keys, String... arguments) {
        Object answer = redis.eval(script, ScriptOutputType.OBJECT, keys, arguments);
        if (answer instanceof List<?> list && !Long.valueOf(0).equals(list.get(0))) {
            return Optional.of(list.stream().map(String::valueOf).toList());
        }
        return Long.valueOf(1).equals(answer) ? Optional.of(List.of()) : Optional.empty();
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
