package io.fenceline.testkit.sim;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Servers with one fault each. */
final class BackendMutants {

    private BackendMutants() {}

    static Setup grantsEarly() {
        return Setup.production()
                .withBackend((ticker, wallClock) -> new MemoryLockBackend(
                        new MemoryStore(TokenMode.COUNTER, () -> (long) (ticker.nanos() * 1.1), wallClock)));
    }

    static Setup endsLeasesByTheWallClock() {
        return Setup.production()
                .withBackend((ticker, wallClock) -> new MemoryLockBackend(
                        new MemoryStore(TokenMode.COUNTER, () -> wallClock.millis() * 1_000_000, wallClock)));
    }

    static Setup reusesTokens() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                Acquisition answer = delegate().acquire(request);
                return answer instanceof Acquisition.Granted granted ? halved(granted.grant()) : answer;
            }
        });
    }

    private static Acquisition halved(Grant grant) {
        FencingToken token = FencingToken.of((grant.token().value() + 1) / 2);
        return new Acquisition.Granted(new Grant(
                grant.key(), grant.lockId(), grant.holder(), token, 1, grant.acquiredAt(), grant.expiresAt()));
    }

    static Setup grantsAgainToARepeatedRequest() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                delegate().release(request.key(), request.lockId());
                return delegate().acquire(request);
            }
        });
    }

    static Setup revivesOnExtend() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                return Optional.of(delegate().extend(key, lockId, ttl).orElse(Instant.EPOCH));
            }
        });
    }

    /** An extension sets the end, whether that is later or earlier. */
    static Setup shortensOnExtend() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                return shortened(delegate(), key, lockId, ttl);
            }
        });
    }

    /** The store has no way back, so the lease is granted anew for the shorter time, with the next token. */
    private static Optional<Instant> shortened(LockBackend store, LockKey key, LockId lockId, Duration ttl) {
        Optional<LockRecord> running = store.lookup(lockId);
        if (running.isPresent() && running.get().remaining().compareTo(ttl) > 0) {
            store.release(key, lockId);
            store.acquire(AcquireRequest.of(key, lockId, ttl, running.get().holder()));
        }
        return store.extend(key, lockId, ttl);
    }

    static Setup releasesWhateverIsThere() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public boolean release(LockKey key, LockId lockId) {
                return delegate()
                        .lookup(key)
                        .map(found -> delegate().release(key, found.raw().lockId()))
                        .orElse(false);
            }
        });
    }

    static Setup keepsNoRest() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
                return delegate().release(key, lockId);
            }
        });
    }

    static Setup forgetsToRelease() {
        return broken(sound -> new ForwardingLockBackend(sound) {
            @Override
            public boolean release(LockKey key, LockId lockId) {
                return delegate().lookup(lockId).isPresent();
            }
        });
    }

    private static Setup broken(UnaryOperator<LockBackend> fault) {
        Setup production = Setup.production();
        return production.withBackend(
                (ticker, wallClock) -> fault.apply(production.backend().open(ticker, wallClock)));
    }
}
