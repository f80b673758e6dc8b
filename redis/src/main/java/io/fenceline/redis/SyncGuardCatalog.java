package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Lists the leases of SyncGuard's processes and ours, and puts things right by hand. What people do to a lock is kept in the list
 * {@code PREFIX#audit:PREFIX:KEY}, the last hundred acts for thirty days.
 */
final class SyncGuardCatalog implements LockCatalog {

    private static final String STEP = "1000";

    private final RedisLink link;
    private final SyncGuardScripts scripts;
    private final SyncGuardNames names;
    private final SyncGuardReplies replies;

    SyncGuardCatalog(RedisLink link, SyncGuardScripts scripts, SyncGuardNames names, SyncGuardReplies replies) {
        this.link = link;
        this.scripts = scripts;
        this.names = names;
        this.replies = replies;
    }

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        String start = Normalizer.normalize(prefix, Normalizer.Form.NFC);
        Map<byte[], LockRecord> found = new TreeMap<>(Arrays::compareUnsigned);
        for (RedisLink.Node node : link.masters()) {
            String cursor = "0";
            do {
                List<?> step = node.run(scripts.list(), cursor, names.pattern(start), STEP);
                for (Object lease : step.subList(1, step.size())) {
                    described((List<?>) lease)
                            .filter(described -> described.raw().key().value().startsWith(start))
                            .ifPresent(described -> found.put(
                                    described.raw().key().value().getBytes(StandardCharsets.UTF_8), described));
                }
                cursor = Replies.text(step, 0);
            } while (!cursor.equals("0"));
        }
        return found.values().stream().limit(limit).toList();
    }

    /** A record that is not kept under its key's name, or that we cannot read, is no lock that anybody could take. */
    private Optional<LockRecord> described(List<?> lease) {
        try {
            LockRecord described =
                    replies.record(new SyncGuardReplies.Described(replies, lease.subList(1, lease.size())));
            return names.isNameOf(Replies.text(lease, 0), described.raw().key())
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
