package io.fenceline.testkit;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Backends that extend or release leases wrongly, as {@link Mutants} are. */
final class EndMutants {

    private static final Holder OPERATOR = Holder.of("mutant");

    private EndMutants() {}

    static final class ReleasesWhateverIsThere extends Mutants.Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public boolean release(LockKey key, LockId lockId) {
                    return sound.lookup(key)
                            .map(found -> sound.release(key, found.raw().lockId()))
                            .orElse(false);
                }
            };
        }
    }

    static final class RevivesOnExtend extends Mutants.Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                    Optional<Instant> end = sound.extend(key, lockId, ttl);
                    if (end.isEmpty() && !sound.isLocked(key)) {
                        sound.acquire(AcquireRequest.of(key, lockId, ttl, OPERATOR));
                        return Optional.of(Instant.EPOCH);
                    }
                    return end;
                }
            };
        }
    }

    static final class AddsToTheEndOnExtend extends Mutants.Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                    LockOptions.requireTtl(ttl);
                    Duration left = sound.lookup(key).map(LockRecord::remaining).orElse(Duration.ZERO);
                    return sound.extend(key, lockId, left.plus(ttl));
                }
            };
        }
    }

    /** An extension sets the end, be it later or earlier. The sound store has no way back, so this one keeps ends of its own. */
    static final class ShortensOnExtend extends Mutants.Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                    LockOptions.requireTtl(ttl);
                    Optional<LockRecord> running = sound.lookup(lockId);
                    if (running.isPresent() && running.get().remaining().compareTo(ttl) > 0) {
                        sound.release(key, lockId);
                        sound.acquire(AcquireRequest.of(
                                key, lockId, ttl, running.get().holder()));
                    }
                    return sound.extend(key, lockId, ttl);
                }
            };
        }
    }

    /** A release writes on condition that nothing has changed since it read, and takes a change for the end of the lease. */
    static final class ReleaseGivesWayToAnExtension extends Mutants.Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public boolean release(LockKey key, LockId lockId) {
                    Optional<Instant> read = sound.lookup(lockId).map(LockRecord::expiresAt);
                    LockSupport.parkNanos(200_000);
                    return read.equals(sound.lookup(lockId).map(LockRecord::expiresAt)) && sound.release(key, lockId);
                }
            };
        }
    }

    private abstract static class RestMutant extends Mutants.Mutant {
        abstract boolean releaseAfter(LockBackend sound, LockKey key, LockId lockId, Duration rest);

        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
                    return RestMutant.this.releaseAfter(sound, key, lockId, rest);
                }
            };
        }
    }

    static final class KeepsNoRest extends RestMutant {
        @Override
        boolean releaseAfter(LockBackend sound, LockKey key, LockId lockId, Duration rest) {
            return sound.release(key, lockId);
        }
    }

    static final class RestsLikeAnExtension extends RestMutant {
        @Override
        boolean releaseAfter(LockBackend sound, LockKey key, LockId lockId, Duration rest) {
            return sound.extend(key, lockId, rest).isPresent();
        }
    }

    static final class KeepsWhateverIsThere extends RestMutant {
        @Override
        boolean releaseAfter(LockBackend sound, LockKey key, LockId lockId, Duration rest) {
            return sound.lookup(key)
                    .filter(found -> sound.releaseAfter(key, found.raw().lockId(), rest))
                    .isPresent();
        }
    }
}
