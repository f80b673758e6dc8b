package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.redis.link.TokenPage;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Lists leases and changes locks for operators. The last hundred acts on a lock are kept for thirty days in the list {@code
 * PREFIX:{KEY}:audit}.
 */
final class RedisCatalog implements LockCatalog {

    private static final String STEP = "1000";

    private final RedisLink link;
    private final LockScripts scripts;
    private final LockNames names;
    private final Redaction redaction;

    RedisCatalog(RedisLink link, LockScripts scripts, LockNames names, Redaction redaction) {
        this.link = link;
        this.scripts = scripts;
        this.names = names;
        this.redaction = redaction;
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        Map<byte[], LockRecord> found = new TreeMap<>(Arrays::compareUnsigned);
        walk(LockKey.prefix(prefix), "", record -> {
            found.put(record.raw().key().value().getBytes(StandardCharsets.UTF_8), record);
            return false;
        });
        return found.values().stream().limit(limit).toList();
    }

    @Override
    public List<KeyToken> tokens(String prefix, String after, int limit) {
        Checks.limit(limit);
        TokenPage page = new TokenPage(after, limit);
        scan(scripts.counters(), LockKey.prefix(prefix), counter -> {
            token(counter).ifPresent(page::add);
            return false;
        });
        return page.keys();
    }

    /** Reads a counter; empty if the hash is not one of ours. */
    private Optional<KeyToken> token(List<?> counter) {
        try {
            LockKey key = names.key(RedisReplies.text(counter, 0));
            long last = Math.min(RedisReplies.number(counter, 1), FencingToken.MAX_VALUE);
            return Optional.of(new KeyToken(key, FencingToken.of(last)));
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    /** Finds the lease of a lock id. */
    Optional<LockRecord> find(LockId lockId) {
        LockRecord[] found = new LockRecord[1];
        walk("", lockId.text(), record -> {
            found[0] = record;
            return true;
        });
        return Optional.ofNullable(found[0]);
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        long last = RedisReplies.number(link.run(scripts.last(), new String[] {names.lock(key)}), 0);
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(last));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return FencingToken.of(RedisReplies.number(
                link.run(scripts.raise(), withAudit(key), Long.toString(atLeast.value()), by.text()), 0));
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        List<?> answer = link.run(scripts.force(), withAudit(key), by.text());
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        if (RedisReplies.number(answer, 0) < 0) {
            throw Checks.noTokenLeft(key);
        }
        return Optional.of(RedisReplies.record(key, answer, redaction));
    }

    /** Reads a lease; empty if the hash is not one of ours. */
    private Optional<LockRecord> record(List<?> lease) {
        try {
            LockKey key = names.key(RedisReplies.text(lease, 0));
            return Optional.of(RedisReplies.record(key, lease.subList(1, lease.size()), redaction));
        } catch (IllegalArgumentException | NullPointerException unreadable) {
            return Optional.empty();
        }
    }

    private String[] withAudit(LockKey key) {
        return new String[] {names.lock(key), names.audit(key)};
    }

    /** Visits all running leases, or that of a lock id, until the visitor returns true. */
    private void walk(String prefix, String lockId, Predicate<LockRecord> enough) {
        scan(scripts.find(), prefix, lease -> record(lease).filter(enough).isPresent(), lockId);
    }

    /** Scans all keys of all masters until the visitor returns true. */
    private void scan(RedisScript script, String prefix, Predicate<List<?>> enough, String... arguments) {
        for (RedisLink.Node node : link.masters()) {
            String cursor = "0";
            do {
                List<String> values = new ArrayList<>(List.of(cursor, names.pattern(prefix), STEP));
                values.addAll(List.of(arguments));
                List<?> step = node.run(script, values.toArray(String[]::new));
                for (Object found : step.subList(1, step.size())) {
                    if (enough.test((List<?>) found)) {
                        return;
                    }
                }
                cursor = RedisReplies.text(step, 0);
            } while (!cursor.equals("0"));
        }
    }
}
