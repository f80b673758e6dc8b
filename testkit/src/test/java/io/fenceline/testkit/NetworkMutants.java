package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Backends of a networked store with one fault each, and the contracts for each of them. */
final class NetworkMutants {

    private NetworkMutants() {}

    /** The contract of networks for a broken backend. */
    abstract static class Mutant extends NetworkFaultContract {

        abstract LockBackend breakIt(LockBackend sound);

        @Override
        protected ProxiedFixture newFixture() {
            return new TcpFixture(this::breakIt);
        }
    }

    /** The contract of round trips for a broken backend. */
    abstract static class ChattyMutant extends RoundTripContract {

        abstract LockBackend breakIt(LockBackend sound);

        @Override
        protected ProxiedFixture newFixture() {
            return new TcpFixture(this::breakIt);
        }
    }

    static final class SaysThatNothingHappened extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return failingOtherwise(
                    sound, failure -> new BackendException(failure.code(), Effect.NONE, "lost", failure));
        }
    }

    static final class CallsOutagesBugs extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return failingOtherwise(
                    sound, failure -> new BackendException(ErrorCode.INTERNAL, failure.effect(), "lost", failure));
        }
    }

    static final class WaitsForEver extends NetworkFaultContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new TcpFixture(Duration.ZERO, UnaryOperator.identity());
        }
    }

    /** Asks twice, so that it is over after a call that has no timeout. */
    static final class IgnoresTheTimeout extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    AcquireRequest unlimited =
                            AcquireRequest.of(request.key(), request.lockId(), request.ttl(), request.holder());
                    if (request.timeout().compareTo(unlimited.timeout()) >= 0) {
                        return sound.acquire(request);
                    }
                    try {
                        return sound.acquire(unlimited);
                    } catch (BackendException e) {
                        return sound.acquire(unlimited);
                    }
                }
            };
        }
    }

    static final class NeverComesBack extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new Guarded(sound) {
                private volatile BackendException first;

                @Override
                <T> T guarded(Supplier<T> call) {
                    if (first != null) {
                        throw first;
                    }
                    try {
                        return call.get();
                    } catch (BackendException e) {
                        first = e;
                        throw e;
                    }
                }
            };
        }
    }

    static final class RepeatsAcquiresUnderAnotherId extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    try {
                        return sound.acquire(request);
                    } catch (BackendException e) {
                        return sound.acquire(
                                AcquireRequest.of(request.key(), LockId.random(), request.ttl(), request.holder()));
                    }
                }
            };
        }
    }

    static final class ForgetsGrantsWhoseReplyWasLost extends Mutant {

        private final ConcurrentHashMap<LockId, Boolean> lost = new ConcurrentHashMap<>();

        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    if (lost.remove(request.lockId()) != null) {
                        sound.release(request.key(), request.lockId());
                    }
                    try {
                        return sound.acquire(request);
                    } catch (BackendException e) {
                        lost.put(request.lockId(), true);
                        throw e;
                    }
                }
            };
        }
    }

    static final class BelievesThatReleasesSucceed extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public boolean release(LockKey key, LockId lockId) {
                    try {
                        return sound.release(key, lockId);
                    } catch (BackendException e) {
                        return true;
                    }
                }
            };
        }
    }

    static final class BelievesThatExtensionsSucceed extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                    try {
                        return sound.extend(key, lockId, ttl);
                    } catch (BackendException e) {
                        return Optional.of(Instant.now().plus(ttl));
                    }
                }
            };
        }
    }

    static final class AsksWhoHoldsARefusedLock extends ChattyMutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Acquisition answer = sound.acquire(request);
                    if (answer instanceof Contended contended) {
                        Optional<LockRecord> holder = sound.lookup(request.key());
                        return new Contended(contended.remaining(), holder.map(LockRecord::holder));
                    }
                    return answer;
                }
            };
        }
    }

    static final class LooksBeforeItReleases extends ChattyMutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public boolean release(LockKey key, LockId lockId) {
                    return sound.isLocked(key) && sound.release(key, lockId);
                }
            };
        }
    }

    static final class AnswersFromMemory extends ChattyMutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                private final ConcurrentHashMap<LockKey, Boolean> seen = new ConcurrentHashMap<>();

                @Override
                public boolean isLocked(LockKey key) {
                    return seen.computeIfAbsent(key, sound::isLocked);
                }
            };
        }
    }

    private static LockBackend failingOtherwise(LockBackend sound, UnaryOperator<BackendException> otherwise) {
        return new Guarded(sound) {
            @Override
            <T> T guarded(Supplier<T> call) {
                try {
                    return call.get();
                } catch (BackendException e) {
                    throw otherwise.apply(e);
                }
            }
        };
    }

    /** A backend with something around every call. */
    private abstract static class Guarded extends ForwardingLockBackend {

        Guarded(LockBackend delegate) {
            super(delegate);
        }

        abstract <T> T guarded(Supplier<T> call);

        @Override
        public Acquisition acquire(AcquireRequest request) {
            return guarded(() -> delegate().acquire(request));
        }

        @Override
        public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
            return guarded(() -> delegate().extend(key, lockId, ttl));
        }

        @Override
        public boolean release(LockKey key, LockId lockId) {
            return guarded(() -> delegate().release(key, lockId));
        }

        @Override
        public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
            return guarded(() -> delegate().releaseAfter(key, lockId, rest));
        }

        @Override
        public Optional<LockRecord> lookup(LockKey key) {
            return guarded(() -> delegate().lookup(key));
        }

        @Override
        public Optional<LockRecord> lookup(LockId lockId) {
            return guarded(() -> delegate().lookup(lockId));
        }

        @Override
        public boolean isLocked(LockKey key) {
            return guarded(() -> delegate().isLocked(key));
        }
    }
}
