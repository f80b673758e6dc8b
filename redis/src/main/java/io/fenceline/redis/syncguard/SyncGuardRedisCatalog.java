package io.fenceline.redis.syncguard;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.redis.link.TokenPage;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Lists leases in SyncGuard's layout and changes them for operators. The last hundred acts on a lock are kept for thirty days in
 * the list {@code PREFIX#audit:PREFIX:KEY}.
 */
final class SyncGuardRedisCatalog implements LockCatalog {

    private static final String STEP = "1000";

    private final RedisLink link;
    private final SyncGuardScripts scripts;
    private final SyncGuardNames names;
    private final SyncGuardReplies replies;

    SyncGuardRedisCatalog(RedisLink link, SyncGuardScripts scripts, SyncGuardNames names, SyncGuardReplies replies) {
        this.link = link;
        this.scripts = scripts;
        this.names = names;
        this.replies = replies;
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        String start = LockKey.prefix(prefix);
        Map<byte[], LockRecord> found = new TreeMap<>(Arrays::compareUnsigned);
        scan(
                scripts.list(),
                names.pattern(start),
                lease -> described(lease)
                        .filter(described -> described.raw().key().value().startsWith(start))
                        .ifPresent(described ->
                                found.put(described.raw().key().value().getBytes(StandardCharsets.UTF_8), described)));
        return found.values().stream().limit(limit).toList();
    }

    /** {@inheritDoc} Leaves out keys that are so long that their names are hashed. */
    @Override
    public List<KeyToken> tokens(String prefix, String after, int limit) {
        Checks.limit(limit);
        String start = LockKey.prefix(prefix);
        TokenPage page = new TokenPage(after, limit);
        scan(
                scripts.counters(),
                names.fencePattern(start),
                counter -> names.keyOfFence(RedisReplies.text(counter, 0))
                        .filter(key -> key.value().startsWith(start))
                        .ifPresent(key -> last(counter).ifPresent(last -> page.add(new KeyToken(key, last)))));
        return page.keys();
    }

    /** Reads the token of a counter; empty if it is 0 or unreadable. */
    private static Optional<FencingToken> last(List<?> counter) {
        try {
            long last = Math.min(RedisReplies.number(counter, 1), FencingToken.MAX_VALUE);
            return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(last));
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    /** Scans all keys of all masters. */
    private void scan(RedisScript script, String pattern, Consumer<List<?>> visitor) {
        for (RedisLink.Node node : link.masters()) {
            String cursor = "0";
            do {
                List<?> step = node.run(script, cursor, pattern, STEP);
                for (Object found : step.subList(1, step.size())) {
                    visitor.accept((List<?>) found);
                }
                cursor = RedisReplies.text(step, 0);
            } while (!cursor.equals("0"));
        }
    }

    /** Reads a record. Empty if it is unreadable or not stored under its key's name: then it is no lock. */
    private Optional<LockRecord> described(List<?> lease) {
        try {
            LockRecord described =
                    replies.record(new SyncGuardReplies.Described(replies, lease.subList(1, lease.size())));
            return names.isNameOf(RedisReplies.text(lease, 0), described.raw().key())
                    ? Optional.of(described)
                    : Optional.empty();
        } catch (BackendException unreadable) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return replies.token(link.run(scripts.last(), new String[] {names.fence(key)}));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        String[] keys = {names.fence(key), names.audit(key)};
        return replies.token(link.run(scripts.raise(), keys, Long.toString(atLeast.value()), by.text()))
                .orElseThrow();
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        String[] keys = {names.lock(key), names.fence(key), names.audit(key)};
        return replies.record(key, link.run(scripts.force(), keys, by.text(), names.indexes()));
    }
}
