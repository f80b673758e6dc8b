package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Clients and resources with one fault each. */
final class ClientMutants {

    private ClientMutants() {}

    static Setup keepsNoSafetyMargin() {
        return Setup.production().withOptions(options -> options.withSafetyMargin(Duration.ZERO));
    }

    /** A clock that stands still during a call makes the engine count from the reply. */
    static Setup countsFromTheReply() {
        return Setup.production().withEngine((remote, time) -> {
            AtomicLong stoodStill = new AtomicLong();
            TimeSource late = new TimeSource(
                    () -> time.ticker().nanos() - stoodStill.get(),
                    () -> time.wallClock().millis() - stoodStill.get() / 1_000_000,
                    time.delays());
            return Locks.builder(new ForwardingLockBackend(remote) {
                        @Override
                        public Acquisition acquire(AcquireRequest request) {
                            long asked = time.ticker().nanos();
                            try {
                                return remote.acquire(request);
                            } finally {
                                stoodStill.addAndGet(time.ticker().nanos() - asked);
                            }
                        }
                    })
                    .time(late);
        });
    }

    static Setup doesNotLookAtTheWallClock() {
        return Setup.production()
                .withEngine((remote, time) -> Locks.builder(remote)
                        .time(new TimeSource(time.ticker(), () -> time.ticker().nanos() / 1_000_000, time.delays())));
    }

    static Setup takesALostReplyForARefusal() {
        return withRemote(remote -> new ForwardingLockBackend(remote) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                try {
                    return remote.acquire(request);
                } catch (BackendException e) {
                    throw new BackendException(e.code(), Effect.NONE, "surely nothing happened", e);
                }
            }
        });
    }

    static Setup takesALostRenewalForDone() {
        return withRemote(remote -> new ForwardingLockBackend(remote) {
            @Override
            public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                try {
                    return remote.extend(key, lockId, ttl);
                } catch (BackendException e) {
                    return Optional.of(Instant.EPOCH);
                }
            }
        });
    }

    static Setup releasesBeforeTheMinimumHold() {
        return withRemote(remote -> new ForwardingLockBackend(remote) {
            @Override
            public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
                return remote.release(key, lockId);
            }
        });
    }

    static Setup watchesNothing() {
        return Setup.production().unwatched();
    }

    static Setup doesNotCheckTokens() {
        return Setup.production().withFence(TokenRule.NONE);
    }

    private static Setup withRemote(UnaryOperator<LockBackend> fault) {
        return Setup.production()
                .withEngine((remote, time) -> Locks.builder(fault.apply(remote)).time(time));
    }
}
