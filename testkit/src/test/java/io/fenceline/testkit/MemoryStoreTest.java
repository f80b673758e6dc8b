package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.Backends;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What the memory backend promises beyond the contract. */
class MemoryStoreTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Holder HOLDER = Holder.of("tester");

    private final ManualTime time = new ManualTime();

    @Nested
    class InClockFloorMode {

        private final MemoryStore store = new MemoryStore(TokenMode.CLOCK_FLOOR, time, time);
        private final MemoryLockBackend backend = new MemoryLockBackend(store);

        @Test
        void startsAtTheTimeOfDay() {
            assertThat(take(backend, KEY).token().value()).isEqualTo(time.millis() * 40);
        }

        @Test
        void forgetsAReleasedKey() {
            release(backend, take(backend, KEY));

            assertThat(store.size()).isZero();
        }

        @Test
        void remembersAReleasedKeyWhoseTokensAreAheadOfTheClock() {
            release(backend, take(backend, KEY));
            Grant ahead = take(backend, KEY);
            release(backend, ahead);

            assertThat(store.size()).isEqualTo(1);
            assertThat(take(backend, KEY).token()).isGreaterThan(ahead.token());
        }

        @Test
        void givesAsManyTokensOfABlockAsTheClockHasPassed() {
            Grant first = block(32);
            assertThat(first.tokens()).as("of a key of which no token is known").isOne();
            release(backend, take(backend, KEY)); // ahead of the clock, and so remembered
            time.advance(Duration.ofMillis(1));

            Grant whole = block(32);
            Grant rest = block(32);
            Grant ahead = block(32);

            long now = time.millis() * 40;
            assertThat(whole.tokens()).isEqualTo(32);
            assertThat(whole.lastToken().value()).isEqualTo(now);
            assertThat(rest.tokens()).isOne();
            assertThat(ahead.token().value()).isEqualTo(now + 2);
        }

        /** Takes a block and leaves the lock free. */
        private Grant block(int tokens) {
            AcquireRequest request = new AcquireRequest(KEY, LockId.random(), TTL, HOLDER, tokens, Duration.ZERO);
            Grant block = ((Granted) backend.acquire(request)).grant();
            release(backend, block);
            return block;
        }

        @Test
        void forgetsExpiredKeysAsNewOnesCome() {
            for (int i = 0; i < 100_000; i++) {
                take(backend, LockKey.of("key " + i));
                time.advance(Duration.ofSeconds(1));
            }

            assertThat(store.size()).isLessThan(5000);
        }

        @Test
        void repeatsNoTokenWhenAKeyIsForgottenAndTakenWithinOneMillisecond() {
            Grant first = take(backend, KEY);
            release(backend, first);

            assertThat(take(backend, KEY).token()).isGreaterThan(first.token());
        }

        @Test
        void repeatsNoTokenWhenTheWallClockIsSetBack() {
            Grant first = take(backend, KEY);
            release(backend, first);
            time.stepWallClock(Duration.ofDays(-1000));

            assertThat(take(backend, KEY).token()).isGreaterThan(first.token());
        }

        @Test
        void keepsARaisedCounter() {
            FencingToken raised = FencingToken.of(89_000_000_000_000L);
            backend.raiseToken(KEY, raised, HOLDER);
            release(backend, take(backend, KEY));
            time.advance(Duration.ofDays(1));

            assertThat(take(backend, KEY).token()).isGreaterThan(raised);
        }
    }

    @Nested
    class WithTwoClocks {

        private final LockBackend backend = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));

        @Test
        void endsLeasesByItsTickerWhateverTheWallClockSays() {
            Grant grant = take(backend, KEY);

            time.stepWallClock(Duration.ofDays(1));
            assertThat(backend.isLocked(KEY)).isTrue();
            time.stepWallClock(Duration.ofDays(-2));
            time.advance(TTL);

            assertThat(backend.isLocked(KEY)).isFalse();
            assertThat(backend.release(KEY, grant.lockId())).isFalse();
        }

        @Test
        void showsTheTimesOfTheWallClock() {
            Grant grant = take(backend, KEY);

            assertThat(grant.acquiredAt().toEpochMilli()).isEqualTo(time.millis());
            assertThat(grant.expiresAt().toEpochMilli()).isEqualTo(time.millis() + TTL.toMillis());
        }
    }

    @Nested
    class ByUri {

        @Test
        void opensAStoreOfItsOwnEachTime() {
            try (LockBackend one = Backends.open("memory:");
                    LockBackend two = Backends.open("MEMORY:")) {
                take(one, KEY);

                assertThat(two.isLocked(KEY)).isFalse();
            }
        }

        @Test
        void hasNoNames() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Backends.open("memory:mine"))
                    .withMessageContaining("'memory:'");
        }
    }

    private static Grant take(LockBackend backend, LockKey key) {
        return ((Granted) backend.acquire(AcquireRequest.of(key, LockId.random(), TTL, HOLDER))).grant();
    }

    private static void release(LockBackend backend, Grant grant) {
        assertThat(backend.release(grant.key(), grant.lockId())).isTrue();
    }
}
