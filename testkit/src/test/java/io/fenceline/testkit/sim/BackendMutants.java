package io.fenceline.testkit.sim;

import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.Grant;
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
