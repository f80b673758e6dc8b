package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.NoGrant;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * L5: {@code acquire} waits within its limit exactly, with a last attempt at its end; what an attempt may have left behind is
 * undone when it is given up.
 */
class AcquireWaitTest extends AcquireCase {

    @Nested
    class TheLimit {

        @Test
        void isNotReachedIfTheLockIsFree() throws Exception {
            Lease lease = bench.locks.acquire(NAME);

            assertThat(lease.isHeld()).isTrue();
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
            assertThat(bench.heard)
                    .containsExactly(new LockEvent.Acquired(lease.stamp(), Holder.of("us"), Duration.ZERO, 1));
        }

        @Test
        void isWaitedForToTheEndAndNoLonger() throws Exception {
            bench.takenByStranger(Duration.ofHours(1));
            Background<Lease> waiter = waitFor(ONE_SECOND);

            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
            assertThat(bench.asked(BackendOperation.ACQUIRE)).isEqualTo(4);
            assertThat(bench.heard)
                    .containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.TIMED_OUT, Duration.ofSeconds(1), 4));
        }

        @Test
        void ofAThreadThatWaitsForItsOwnLockIsExplained() throws Exception {
            Background<Lease> reentrant = Background.start(() -> {
                try (Lease own = bench.locks.acquire(NAME)) {
                    assertThat(own.isHeld()).isTrue();
                    return bench.locks.acquire(NAME, ONE_SECOND);
                }
            });
            bench.time.awaitParked(1);
            bench.time.advance(ONE_SECOND.maxWait());

            assertThat(reentrant.failure())
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("this thread itself acquired it");
            assertThat(bench.isFree()).isTrue();
        }

        @Test
        void ofAThreadThatWaitsForAnotherOneIsNot() throws Exception {
            Lease other = bench.locks.acquire(NAME);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            bench.time.awaitParked(1);
            bench.time.advance(ONE_SECOND.maxWait());

            assertThat(waiter.failure())
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageEndingWith("it is held by us");
            other.close();
        }

        @Test
        void comesWithALastAttempt() throws Exception {
            Grant stranger = bench.takenByStranger(Duration.ofHours(1));
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofMillis(50));
            bench.releasedByStranger(stranger);

            bench.time.advance(Duration.ofMillis(150));

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void comesWithAnAttemptThatFindsALeaseEndedAtThatMoment() throws Exception {
            bench.takenByStranger(Duration.ofSeconds(1));
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);

            passToNextAttempt(200);

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void ofZeroMeansOneAttempt() {
            bench.takenByStranger(TTL);

            assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> bench.locks.acquire(NAME, NO_WAIT));

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
        }

        @Test
        void ofZeroIsEnoughForAFreeLock() throws Exception {
            assertThat(bench.locks.acquire(NAME, NO_WAIT).isHeld()).isTrue();
        }

        @Test
        void mayBeLongerThanAnyLife() throws Exception {
            Grant stranger = bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(OPTIONS.withMaxWait(Duration.ofSeconds(Long.MAX_VALUE)));
            bench.time.awaitParked(1);
            bench.releasedByStranger(stranger);

            bench.time.advance(Duration.ofMillis(100));

            assertThat(waiter.result().isHeld()).isTrue();
        }

        @Test
        void isToldWithTheKeyAndTheHolder() throws Exception {
            bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);

            assertThat(waiter.failure())
                    .isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                        assertThat(e.key()).isEqualTo(KEY);
                        assertThat(e.waited()).isEqualTo(Duration.ofSeconds(1));
                        assertThat(e.holder()).contains(Holder.of("a stranger"));
                        assertThat(e.code()).isEqualTo(ErrorCode.ACQUISITION_TIMEOUT);
                    })
                    .hasMessageContaining(NAME)
                    .hasMessageContaining("1000 ms")
                    .hasMessageContaining("a stranger");
        }

        @Test
        void doesNotBindACallerThatDoesNotWait() {
            bench.takenByStranger(TTL);

            assertThat(bench.locks.tryAcquire(NAME, ONE_SECOND)).isEmpty();

            assertThat(bench.asked(BackendOperation.ACQUIRE)).isOne();
            assertThat(bench.heard).containsExactly(new LockEvent.NotAcquired(KEY, NoGrant.TAKEN, Duration.ZERO, 1));
        }
    }

    @Nested
    class TheRequest {

        @Test
        void carriesTheOptionsAndTheTimeLeft() throws Exception {
            bench.takenByStranger(TTL);
            Background<Lease> waiter = waitFor(ONE_SECOND);
            passToNextAttempt(400);
            passToNextAttempt(400);
            passToNextAttempt(200);
            waiter.failure();

            assertThat(bench.events.requests()).allSatisfy(request -> {
                assertThat(request.key()).isEqualTo(KEY);
                assertThat(request.ttl()).isEqualTo(TTL);
                assertThat(request.holder()).isEqualTo(Holder.of("us"));
                assertThat(request.tokens()).isOne();
            });
            assertThat(bench.events.requests())
                    .extracting(request -> request.maxWait().toMillis())
                    .containsExactly(1000L, 600L, 200L, 0L);
            assertThat(bench.events.requests())
                    .as("the slack, since less is left of the wait")
                    .allSatisfy(request -> assertThat(request.timeout()).isEqualTo(LockOptions.WAIT_SLACK));
        }

        @Test
        @Tag("L5")
        void isWaitedForAsLongAsTheCallerWaits() {
            bench.locks.tryAcquire(NAME, OPTIONS).orElseThrow().close();
            assertThat(bench.events.requests().get(0).timeout()).isEqualTo(LockOptions.WAIT_SLACK);

            assertThatNoException().isThrownBy(() -> bench.locks.acquire(NAME, OPTIONS));

            assertThat(bench.events.requests().get(1).timeout()).isEqualTo(OPTIONS.maxWait());
        }

        @Test
        void asksForNoPlaceInAQueueIfTheCallerDoesNotWait() {
            bench.acquire(ONE_SECOND);

            assertThat(bench.events.requests())
                    .extracting(AcquireRequest::maxWait)
                    .containsExactly(Duration.ZERO);
        }

        @Test
        void isNotSentForABadKey() {
            assertThatIllegalArgumentException().isThrownBy(() -> bench.locks.acquire(""));
            assertThatIllegalArgumentException().isThrownBy(() -> bench.locks.tryAcquire("a\0b"));
            assertThatIllegalArgumentException().isThrownBy(() -> bench.locks.acquireAsync("k".repeat(513)));

            assertThat(bench.askedAtAll()).isZero();
        }
    }
}
