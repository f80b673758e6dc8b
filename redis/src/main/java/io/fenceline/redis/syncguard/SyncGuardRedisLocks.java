package io.fenceline.redis.syncguard;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.ReplyDeadline;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locks in SyncGuard's layout, shared with SyncGuard processes. Each operation is one script and one round trip, also {@link
 * #lookup(LockId)}, which uses SyncGuard's index.
 *
 * <p>Waiters poll, since SyncGuard sends no message on release.
 */
public final class SyncGuardRedisLocks implements LockBackend {

    private final RedisLink link;
    private final SyncGuardNames names;
    private final SyncGuardScripts scripts = SyncGuardScripts.create();
    private final SyncGuardReplies replies;
    private final SyncGuardRedisCatalog catalog;

    public SyncGuardRedisLocks(RedisLink link, RedisErrors errors, SyncGuardNames names, Redaction redaction) {
        this.link = link;
        this.names = names;
        this.replies = new SyncGuardReplies(errors, redaction);
        this.catalog = new SyncGuardRedisCatalog(link, scripts, names, replies);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return replies.acquisition(
                request,
                link.run(
                        ReplyDeadline.after(request.timeout()),
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
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        String restMillis = Long.toString(Checks.restMillis(rest));
        return replies.done(link.run(scripts.releaseAfter(), lockAndIndex(key, lockId), lockId.text(), restMillis));
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
        return Stream.of(this, catalog).filter(type::isInstance).map(type::cast).findFirst();
    }

    @Override
    public void close() {
        link.close();
    }

    private String[] lockAndIndex(LockKey key, LockId lockId) {
        return new String[] {names.lock(key), names.index(lockId)};
    }
}
