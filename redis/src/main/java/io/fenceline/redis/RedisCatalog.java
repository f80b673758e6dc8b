package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
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
        walk(Normalizer.normalize(prefix, Normalizer.Form.NFC), "", record -> {
            found.put(record.raw().key().value().getBytes(StandardCharsets.UTF_8), record);
            return false;
        });
        return found.values().stream().limit(limit).toList();
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

    /** Scans all keys of all masters until the visitor returns true. */
    private void walk(String prefix, String lockId, Predicate<LockRecord> enough) {
        for (RedisLink.Node node : link.masters()) {
            String cursor = "0";
            do {
                List<?> step = node.run(scripts.find(), cursor, names.pattern(prefix), STEP, lockId);
                for (Object found : step.subList(1, step.size())) {
                    Optional<LockRecord> record = record((List<?>) found);
                    if (record.isPresent() && enough.test(record.get())) {
                        return;
                    }
                }
                cursor = RedisReplies.text(step, 0);
            } while (!cursor.equals("0"));
        }
    }
}
