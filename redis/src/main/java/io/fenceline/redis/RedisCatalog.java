package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
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
 * Lists a store's leases and puts things right by hand. What people do to a lock is kept in the list {@code
 * PREFIX:{KEY}:audit}, the last hundred acts for thirty days.
 */
final class RedisCatalog implements LockCatalog {

    private static final String STEP = "1000";

    private final RedisLink link;
    private final Scripts scripts;
    private final KeyNames names;
    private final Redaction redaction;

    RedisCatalog(RedisLink link, Scripts scripts, KeyNames names, Redaction redaction) {
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
        long last = Replies.number(link.run(scripts.last(), new String[] {names.lock(key)}), 0);
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(last));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        return FencingToken.of(Replies.number(
                link.run(scripts.raise(), withAudit(key), Long.toString(atLeast.value()), by.text()), 0));
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        List<?> answer = link.run(scripts.force(), withAudit(key), by.text());
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        if (Replies.number(answer, 0) < 0) {
            throw Checks.noTokenLeft(key);
        }
        return Optional.of(Replies.record(key, answer, redaction));
    }

    /** Reads a lease with its name; nothing if somebody else's hash has the name of a lock. */
    private Optional<LockRecord> record(List<?> lease) {
        try {
            LockKey key = names.key(Replies.text(lease, 0));
            return Optional.of(Replies.record(key, lease.subList(1, lease.size()), redaction));
        } catch (IllegalArgumentException | NullPointerException unreadable) {
            return Optional.empty();
        }
    }

    private String[] withAudit(LockKey key) {
        return new String[] {names.lock(key), names.audit(key)};
    }

    /** Goes over all keys of all masters until the visitor has enough. */
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
                cursor = Replies.text(step, 0);
            } while (!cursor.equals("0"));
        }
    }
}
