package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locks in SyncGuard's layout, shared with SyncGuard processes. Each operation is one script and one round trip, {@link
 * #lookup(LockId)} included, which goes by SyncGuard's index.
 *
 * <p>Waiters poll: a release by SyncGuard tells nobody, so no waiter could rely on being told.
 */
final class SyncGuardLocks implements LockBackend {

    private final RedisLink link;
    private final RedisOptions options;
    private final SyncGuardNames names;
    private final SyncGuardScripts scripts = SyncGuardScripts.create();
    private final SyncGuardReplies replies;
    private final SyncGuardCatalog catalog;
    private final RedisFences fences;

    SyncGuardLocks(RedisLink link, String where, KeyLayout.SyncGuard layout, RedisOptions options) {
        Complaints complaints = new Complaints(where);
        this.link = link;
        this.options = options;
        this.names = SyncGuardNames.of(layout, options);
        this.replies = new SyncGuardReplies(complaints, options.redaction());
        this.catalog = new SyncGuardCatalog(link, scripts, names, replies);
        this.fences = new RedisFences(link, complaints, options);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return replies.acquisition(
                request,
                link.run(
                        Deadline.after(request.timeout()),
                        scripts.acquire(),
                        new String[] {
                            names.lock(request.key()), names.index(request.lockId()), names.fence(request.key())
                        },
                        request.lockId().text(),
                        Long.toString(request.ttlMillis()),
                        request.key().value(),
                        request.holder().text(),
                        Integer.toString(request.tokens())));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        String ttlMillis = Long.toString(AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl)));
        return replies.end(link.run(scripts.extend(), lockAndIndex(key, lockId), lockId.text(), ttlMillis));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return replies.done(link.run(scripts.release(), lockAndIndex(key, lockId), lockId.text()));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return replies.record(key, link.run(scripts.lookup(), new String[] {names.lock(key)}));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return replies.record(link.run(scripts.find(), new String[] {names.index(lockId)}, lockId.text()));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return Stream.of(this, catalog, fences.catalog(), new RedisDiagnosis(link, options))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        link.close();
    }

    private String[] lockAndIndex(LockKey key, LockId lockId) {
        return new String[] {names.lock(key), names.index(lockId)};
    }
}
