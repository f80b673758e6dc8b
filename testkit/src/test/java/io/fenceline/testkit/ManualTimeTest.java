package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ManualTimeTest {

    private final ManualTime time = new ManualTime();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Nested
    class Clocks {

        @Test
        void standStillByThemselves() {
            assertThat(time.nanos()).isEqualTo(time.nanos());
            assertThat(time.millis()).isEqualTo(time.millis());
        }

        @Test
        void moveTogether() {
            long nanos = time.nanos();
            long millis = time.millis();

            time.advance(Duration.ofMillis(1500));

            assertThat(time.nanos() - nanos).isEqualTo(1_500_000_000L);
            assertThat(time.millis() - millis).isEqualTo(1500);
        }

        @Test
        void measureSpansAcrossTheOverflowOfTheTicker() {
            long before = time.nanos();

            time.advance(Duration.ofMinutes(2));

            assertThat(time.nanos()).isNegative();
            assertThat(time.nanos() - before).isEqualTo(Duration.ofMinutes(2).toNanos());
        }

        @Test
        void leaveTheTickerAloneWhenTheWallClockIsStepped() {
            long nanos = time.nanos();
            long millis = time.millis();

            time.stepWallClock(Duration.ofHours(-1));

            assertThat(time.nanos()).isEqualTo(nanos);
            assertThat(time.millis() - millis).isEqualTo(-3_600_000);
        }

        @Test
        void letTheTickerStandStillWhileTheMachineSleeps() {
            long nanos = time.nanos();
            long millis = time.millis();

            time.suspend(Duration.ofHours(1));

            assertThat(time.nanos()).isEqualTo(nanos);
            assertThat(time.millis() - millis).isEqualTo(3_600_000);
        }

        @Test
        void doNotGoBackUnlessStepped() {
            assertThatIllegalArgumentException().isThrownBy(() -> time.advance(Duration.ofNanos(-1)));
            assertThatIllegalArgumentException().isThrownBy(() -> time.suspend(Duration.ofNanos(-1)));
        }

        @Test
        void keepNanosecondsThatAreLessThanAMillisecond() {
            long millis = time.millis();

            for (int i = 0; i < 4; i++) {
                time.advance(Duration.ofNanos(500_000));
            }

            assertThat(time.millis() - millis).isEqualTo(2);
        }
    }

    @Nested
    class Waits {

        @Test
        void endWhenTheirTimeHasComeAndNotBefore() throws Exception {
            Future<?> waiting = start(() -> parkFor(Duration.ofSeconds(5)));
            time.awaitParked(1);

            time.advance(Duration.ofSeconds(5).minusNanos(1));
            assertThat(time.untilNextWake()).contains(Duration.ofNanos(1));
            assertThat(waiting).isNotDone();

            time.advance(Duration.ofNanos(1));
            waiting.get(10, TimeUnit.SECONDS);
        }

        /** As of a thread that was slow to begin its wait: nobody would wake it. */
        @Test
        void countFromWhatTheThreadHasReadLast() throws Exception {
            Future<?> waiting = startThoughTimePasses(1);

            waiting.get(10, TimeUnit.SECONDS);
        }

        /** Else a thread that waits again and again without a look at the time would not wait any more. */
        @Test
        void countFromTheEndOfAnotherThatWasOverAtOnce() throws Exception {
            Future<?> waiting = startThoughTimePasses(2);
            time.awaitParked(1);

            time.advance(Duration.ofSeconds(5));

            waiting.get(10, TimeUnit.SECONDS);
        }

        /** A thread reads the time, which passes by six seconds, and then waits for five, once or more often. */
        private Future<?> startThoughTimePasses(int waits) throws InterruptedException {
            CountDownLatch read = new CountDownLatch(1);
            CountDownLatch passed = new CountDownLatch(1);
            Future<?> waiting = start(() -> {
                time.nanos();
                read.countDown();
                passed.await();
                for (int i = 0; i < waits; i++) {
                    parkFor(Duration.ofSeconds(5));
                }
                return null;
            });
            read.await();
            time.advance(Duration.ofSeconds(6));
            passed.countDown();
            return waiting;
        }

        @Test
        void doNotEndWhileTheMachineSleeps() {
            Future<?> waiting = start(() -> parkFor(Duration.ofSeconds(5)));
            time.awaitParked(1);

            time.suspend(Duration.ofDays(1));

            assertThat(time.untilNextWake()).contains(Duration.ofSeconds(5));
            assertThat(waiting).isNotDone();
        }

        @Test
        void endWhenWoken() throws Exception {
            Thread[] waiter = new Thread[1];
            Future<?> waiting = start(() -> {
                waiter[0] = Thread.currentThread();
                return parkFor(Duration.ofDays(1));
            });
            time.awaitParked(1);

            time.wake(waiter[0]);

            waiting.get(10, TimeUnit.SECONDS);
        }

        @Test
        void endAtOnceIfWokenBefore() throws Exception {
            time.wake(Thread.currentThread());
            time.wake(Thread.currentThread());

            time.park(Long.MAX_VALUE);

            assertThat(time.untilNextWake()).isEmpty();
        }

        @Test
        void useAWakeUpOnce() throws Exception {
            Future<?> waiting = start(() -> {
                time.wake(Thread.currentThread());
                time.park(1);
                return parkFor(Duration.ofSeconds(1));
            });

            time.awaitParked(1);

            assertThat(waiting).isNotDone();
        }

        @Test
        void endAtOnceIfThereIsNothingToWaitForAndKeepTheWakeUp() throws Exception {
            time.wake(Thread.currentThread());

            time.park(0);
            time.park(-1);

            time.park(Long.MAX_VALUE);
        }

        @Test
        void endWithAnInterruptedExceptionAndAClearStatus() {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> time.park(1));

            assertThat(Thread.interrupted()).isFalse();
        }

        @Test
        void endWhenInterrupted() {
            Thread[] waiter = new Thread[1];
            Future<?> waiting = start(() -> {
                waiter[0] = Thread.currentThread();
                return parkFor(Duration.ofDays(1));
            });
            time.awaitParked(1);

            waiter[0].interrupt();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(InterruptedException.class);
            assertThat(time.untilNextWake()).isEmpty();
        }

        @Test
        void wakeInOneStepAllWhoseTimeHasCome() throws Exception {
            Future<?> first = start(() -> parkFor(Duration.ofSeconds(1)));
            Future<?> second = start(() -> parkFor(Duration.ofSeconds(2)));
            Future<?> third = start(() -> parkFor(Duration.ofSeconds(3)));
            time.awaitParked(3);

            time.advance(Duration.ofSeconds(2));

            first.get(10, TimeUnit.SECONDS);
            second.get(10, TimeUnit.SECONDS);
            assertThat(third).isNotDone();
            time.awaitParked(1);
        }

        @Test
        void withoutAnEndHaveOneFarAway() {
            start(() -> {
                time.park(Long.MAX_VALUE);
                return null;
            });
            time.awaitParked(1);

            assertThat(time.untilNextWake().orElseThrow()).isGreaterThan(Duration.ofDays(40_000));
        }
    }

    private Future<?> start(Callable<?> task) {
        return threads.submit(task);
    }

    private Void parkFor(Duration duration) throws InterruptedException {
        time.park(duration.toNanos());
        return null;
    }
}
