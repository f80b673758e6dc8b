package io.fenceline.testkit;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Backends with one fault each, all of them seen in real lock libraries, and the contract for each of them. Test engines do
 * not find these classes by themselves; {@link LockBackendContractCanFailTest} runs them and expects failures.
 */
final class Mutants {

    private static final Holder OPERATOR = Holder.of("mutant");

    private Mutants() {}

    /** The contract of a broken backend. */
    abstract static class Mutant extends LockBackendContract {

        abstract LockBackend breakIt(LockBackend sound);

        @Override
        protected BackendFixture newFixture() {
            return new MemoryFixture(TokenMode.COUNTER, this::breakIt);
        }
    }

    static final class Sound extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return sound;
        }
    }

    static final class SpendsATokenOnRefusal extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Acquisition answer = sound.acquire(request);
                    if (answer instanceof Contended) {
                        LockCatalog catalog = catalogOf(sound);
                        long last =
                                catalog.lastToken(request.key()).orElseThrow().value();
                        catalog.raiseToken(request.key(), FencingToken.of(last + 1), OPERATOR);
                    }
                    return answer;
                }
            };
        }
    }

    static final class ReusesTokens extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    return withHalfTheToken(sound.acquire(request));
                }
            };
        }
    }

    /** Gives all the tokens that are asked for, however far ahead of the clock they are. */
    static final class MintsBlocksAheadOfTheClock extends Mutant {
        @Override
        protected BackendFixture newFixture() {
            return new MemoryFixture(TokenMode.CLOCK_FLOOR, this::breakIt);
        }

        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Acquisition answer = sound.acquire(request);
                    if (answer instanceof Granted granted) {
                        Grant whole =
                                withTokens(granted.grant(), granted.grant().token(), request.tokens());
                        catalogOf(sound).raiseToken(request.key(), whole.lastToken(), OPERATOR);
                        return new Granted(whole);
                    }
                    return answer;
                }
            };
        }
    }

    static final class GrantsAgainToARepeatedRequest extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    sound.release(request.key(), request.lockId());
                    return sound.acquire(request);
                }
            };
        }
    }

    static final class RefusesARepeatedRequest extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Optional<LockRecord> running = sound.lookup(request.key());
                    return running.isPresent()
                            ? new Contended(
                                    running.get().remaining(),
                                    Optional.of(running.get().holder()))
                            : sound.acquire(request);
                }
            };
        }
    }

    static final class ProlongsOnRepeatedRequest extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    sound.extend(request.key(), request.lockId(), request.ttl());
                    return sound.acquire(request);
                }
            };
        }
    }

    static final class LooksBeforeItTakes extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Optional<LockRecord> running = sound.lookup(request.key());
                    Thread.yield();
                    if (running.isEmpty()) {
                        catalogOf(sound).forceRelease(request.key(), OPERATOR);
                    }
                    return sound.acquire(request);
                }
            };
        }
    }

    static final class FoldsCase extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    LockKey folded = LockKey.of(request.key().value().toLowerCase(Locale.ROOT));
                    return sound.acquire(new AcquireRequest(
                            folded,
                            request.lockId(),
                            request.ttl(),
                            request.holder(),
                            request.tokens(),
                            Duration.ZERO));
                }
            };
        }
    }

    static final class RoundsTheTtlDown extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Duration seconds =
                            Duration.ofSeconds(Math.max(1, request.ttl().toSeconds()));
                    return sound.acquire(AcquireRequest.of(request.key(), request.lockId(), seconds, request.holder()));
                }
            };
        }
    }

    static final class SwallowsInterrupts extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Thread.interrupted();
                    return sound.acquire(request);
                }
            };
        }
    }

    static final class ShowsExpiredLeases extends Mutant {
        @Override
        LockBackend breakIt(LockBackend sound) {
            return new ForwardingLockBackend(sound) {
                private volatile Optional<LockRecord> last = Optional.empty();

                @Override
                public Optional<LockRecord> lookup(LockId lockId) {
                    Optional<LockRecord> found = sound.lookup(lockId);
                    return found.isPresent() ? found : last;
                }

                @Override
                public Acquisition acquire(AcquireRequest request) {
                    Acquisition answer = sound.acquire(request);
                    last = sound.lookup(request.lockId());
                    return answer;
                }
            };
        }
    }

    private static LockCatalog catalogOf(LockBackend backend) {
        return backend.ability(LockCatalog.class).orElseThrow();
    }

    static Acquisition withHalfTheToken(Acquisition answer) {
        if (answer instanceof Granted granted) {
            FencingToken token = FencingToken.of((granted.grant().token().value() + 1) / 2);
            return new Granted(
                    withTokens(granted.grant(), token, granted.grant().tokens()));
        }
        return answer;
    }

    private static Grant withTokens(Grant grant, FencingToken token, int tokens) {
        return new Grant(
                grant.key(), grant.lockId(), grant.holder(), token, tokens, grant.acquiredAt(), grant.expiresAt());
    }
}
