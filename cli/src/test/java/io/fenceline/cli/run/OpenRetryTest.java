package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import io.fenceline.time.TimeSource;
import io.fenceline.time.WallClock;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OpenRetryTest {

    private long nowNanos;
    private int attempts;
    private final List<Duration> told = new ArrayList<>();

    /** Time passes only while somebody waits. */
    private final TimeSource time = new TimeSource(() -> nowNanos, WallClock.system(), new Delays() {
        @Override
        public void park(long nanos) {
            nowNanos += nanos;
        }

        @Override
        public void wake(Thread thread) {}
    });

    private LockBackend open(int failures, ErrorCode code, Duration patience) throws InterruptedException {
        return open(failures, new BackendException(code, Effect.NONE, "away", null), patience);
    }

    private LockBackend open(int failures, BackendException failure, Duration patience) throws InterruptedException {
        return OpenRetry.open(
                "redis://h",
                () -> {
                    if (attempts++ < failures) {
                        throw failure;
                    }
                    return new MemoryLockBackend();
                },
                patience,
                time,
                (e, retried) -> told.add(retried));
    }

    @Test
    void outlivesAnOutage() throws InterruptedException {
        assertThat(open(10, ErrorCode.SERVICE_UNAVAILABLE, Duration.ofSeconds(30)))
                .isNotNull();
        assertThat(attempts).isEqualTo(11);
        assertThat(told).as("one line for the outage").containsExactly(Duration.ofSeconds(30));
    }

    @Test
    void givesUpWhenItsPatienceEndsAndTriesOnceMoreThen() {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> open(1000, ErrorCode.NETWORK_TIMEOUT, Duration.ofSeconds(3)));
        assertThat(nowNanos).isEqualTo(Duration.ofSeconds(3).toNanos());
        assertThat(attempts).isEqualTo(13);
    }

    @Test
    void givesUpOnAnUnknownHostSoon() {
        BackendException unknown = new BackendException(
                ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "away", new UnknownHostException("no-such-host.invalid"));
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> open(1000, unknown, Duration.ofSeconds(30)));
        assertThat(nowNanos).isEqualTo(Duration.ofSeconds(5).toNanos());
        assertThat(told).containsExactly(Duration.ofSeconds(5));
    }

    @Test
    void triesOnceIfNobodyWaits() {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> open(1, ErrorCode.SERVICE_UNAVAILABLE, Duration.ZERO));
        assertThat(attempts).isEqualTo(1);
        assertThat(told).as("the error itself is told").isEmpty();
    }

    @Test
    void doesNotTryAgainWhatFailedForGood() {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> open(1, ErrorCode.AUTH_FAILED, Duration.ofSeconds(30)));
        assertThat(attempts).isEqualTo(1);
    }

    @Test
    void givesTheLastAttemptTimeToo() throws InterruptedException {
        LockBackend store = new MemoryLockBackend();

        assertThat(OpenRetry.open(
                        "redis://h",
                        () -> {
                            if (attempts++ == 0) {
                                nowNanos += Duration.ofSeconds(2).toNanos(); // the next pause is the rest of the wait
                                throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.NONE, "away", null);
                            }
                            return store;
                        },
                        Duration.ofMillis(2_001),
                        time,
                        (e, retried) -> told.add(retried)))
                .isSameAs(store);
        assertThat(told).as("what is left then").containsExactly(Duration.ofMillis(1));
    }

    /** A busy machine may take longer to load its driver. */
    @Test
    void givesAFileTheTimeThatItTakes() throws InterruptedException {
        Thread caller = Thread.currentThread();
        List<Thread> openers = new ArrayList<>();
        OpenRetry.open(
                        null,
                        () -> {
                            openers.add(Thread.currentThread());
                            return new MemoryLockBackend();
                        },
                        Duration.ofSeconds(1),
                        time,
                        (e, retried) -> told.add(retried))
                .close();
        assertThat(openers).as("no thread that is given up").containsExactly(caller);
    }

    @Test
    void isNotKeptByAStoreThatSaysNothingAndClosesWhatItOpensTooLate() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        LockBackend late = new ForwardingLockBackend(new MemoryLockBackend()) {
            @Override
            public void close() {
                closed.countDown();
            }
        };
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> OpenRetry.open(
                        "redis://h",
                        () -> {
                            awaitUninterruptibly(answer);
                            return late;
                        },
                        Duration.ofMillis(100),
                        TimeSource.system(),
                        (e, retried) -> told.add(retried)))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT));
        assertThat(told).as("it was not retried").isEmpty();
        answer.countDown();
        closed.await();
    }

    /** As drivers report servers that are silent. */
    @Test
    void outlivesTimeoutsOfADriver() throws InterruptedException {
        assertThat(open(
                        10,
                        new BackendException(
                                ErrorCode.NETWORK_TIMEOUT, Effect.NONE, "no reply", new TimeoutException()),
                        Duration.ofSeconds(30)))
                .isNotNull();
    }

    @Test
    void tellsOfTheFirstFailureIfTheLastAttemptHangs() {
        CountDownLatch never = new CountDownLatch(1);
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> OpenRetry.open(
                        "redis://h",
                        () -> {
                            if (attempts++ == 0) {
                                throw new BackendException(
                                        ErrorCode.SERVICE_UNAVAILABLE,
                                        Effect.NONE,
                                        "the store of 10.0.0.1 is away",
                                        null);
                            }
                            awaitUninterruptibly(never);
                            throw new AssertionError();
                        },
                        Duration.ofMillis(100),
                        TimeSource.system(),
                        (e, retried) -> told.add(retried)))
                .withMessageContaining("10.0.0.1");
        never.countDown();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
