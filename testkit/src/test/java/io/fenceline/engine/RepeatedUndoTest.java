package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** L5: an attempt that was given up on a store that stood still is undone when the store answers again. */
@Timeout(60)
class RepeatedUndoTest {

    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(5);

    private final Bench bench = Bench.polling();

    /** How many releases the store does not answer. Then it executes the attempt that it got before, and answers. */
    private volatile int hanging = 2;

    private volatile ErrorCode trouble = ErrorCode.NETWORK_TIMEOUT;
    private volatile Duration hangsFor = RELEASE_LIMIT;
    private final List<Long> begins = new CopyOnWriteArrayList<>();
    private final AtomicInteger releases = new AtomicInteger();
    private volatile AcquireRequest late;

    /** Answers nothing in time while it stands still. */
    private final LockBackend silent = new ForwardingLockBackend(bench.stranger) {
        @Override
        public Acquisition acquire(AcquireRequest request) {
            late = request;
            throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "no reply", null);
        }

        @Override
        public boolean release(LockKey key, LockId lockId) {
            int number = releases.incrementAndGet();
            begins.add(bench.time.nanos());
            if (number <= hanging) {
                pass(hangsFor);
                throw new BackendException(trouble, Effect.UNKNOWN, "no reply", null);
            }
            super.acquire(late);
            return super.release(key, lockId);
        }

        @Override
        public <T> Optional<T> ability(Class<T> type) {
            return Optional.empty();
        }

        /** Without a thread nobody but the caller can move time. */
        private void pass(Duration time) {
            if (Thread.currentThread().getName().startsWith("fenceline-undo")) {
                parkFor(time);
            } else {
                bench.time.advance(time);
            }
        }
    };

    private Locks locks =
            Locks.builder(silent).time(bench.time.source()).random(() -> 0.5).build();
    private final long began = bench.time.nanos();

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    @Tag("L5")
    void freesALockThatTheStoreTookLate() throws Exception {
        giveUp();

        passUntil(() -> releases.get() > hanging && bench.isFree());

        assertThat(passed()).isLessThan(TTL.dividedBy(2));
        assertThat(releases).hasValue(hanging + 1);
    }

    @Test
    @Tag("L5")
    void freesALockThatTheStoreTookLateWithoutThreads() {
        locks = Locks.builder(silent)
                .time(bench.time.source())
                .random(() -> 0.5)
                .withoutThread()
                .build();
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> locks.tryAcquire(NAME, OPTIONS));
        assertThat(releases).as("in the caller's thread").hasValue(1);

        Duration next = locks.runDueSteps();
        while (releases.get() <= hanging) {
            assertThat(next).isLessThan(Duration.ofSeconds(2));
            bench.time.advance(next);
            next = locks.runDueSteps();
        }

        assertThat(bench.isFree()).isTrue();
        assertThat(passed()).isLessThan(TTL.dividedBy(2));
        assertThat(next).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
    }

    @Test
    void pausesLongerEachTimeAndEndsWithTheTtl() throws Exception {
        hanging = Integer.MAX_VALUE;
        giveUp();

        passUntil(() -> releases.get() > 2 && nobodyRepeats());

        List<Long> pauses = new ArrayList<>();
        for (int i = 1; i < begins.size(); i++) {
            pauses.add((begins.get(i) - begins.get(i - 1)) / 1_000_000 - RELEASE_LIMIT.toMillis());
        }
        assertThat(pauses).containsExactly(75L, 150L, 300L, 600L, 750L);
        assertThat(passed()).isBetween(TTL, TTL.plus(RELEASE_LIMIT));
    }

    @Test
    void endsWhenTheLocksAreClosed() {
        hanging = Integer.MAX_VALUE;
        hangsFor = Duration.ZERO;
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> locks.tryAcquire(NAME, OPTIONS));
        bench.time.awaitParked(1);

        locks.close();

        await(RepeatedUndoTest::nobodyRepeats);
        assertThat(releases).hasValue(1);
    }

    @Test
    void endsWithAFailureThatLasts() throws Exception {
        trouble = ErrorCode.AUTH_FAILED;
        giveUp();

        passUntil(() -> bench.time.untilNextWake().isEmpty() && nobodyRepeats());

        assertThat(releases).hasValue(1);
    }

    @Test
    void keepsNoThreadFromTheUndoOfAnother() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch other = new CountDownLatch(1);
        AtomicInteger hung = new AtomicInteger();
        LockBackend partly = new ForwardingLockBackend(silent) {
            @Override
            public boolean release(LockKey key, LockId lockId) {
                if (!key.equals(KEY)) {
                    other.countDown();
                    return false;
                }
                if (hung.incrementAndGet() > 100) { // the first tries fail at once, all that follow hang
                    awaitQuietly(end);
                }
                throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "no reply", null);
            }
        };
        try (Locks many = Locks.builder(partly)
                .time(bench.time.source())
                .random(() -> 0.5)
                .build()) {
            for (int i = 0; i < 100; i++) {
                assertThatExceptionOfType(BackendException.class).isThrownBy(() -> many.tryAcquire(NAME, OPTIONS));
            }
            bench.time.awaitParked(1);
            bench.time.advance(Duration.ofSeconds(1));
            await(() -> hung.get() >= 132);

            assertThatExceptionOfType(BackendException.class).isThrownBy(() -> many.tryAcquire("other", OPTIONS));

            assertThat(other.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(hung).hasValue(132);
            end.countDown();
        }
    }

    /** The caller waits no longer for an undo that is repeated than for one that is not. */
    private void giveUp() throws Exception {
        Background<?> caller = Background.start(() -> locks.tryAcquire(NAME, OPTIONS));
        bench.time.awaitParked(2);
        bench.time.advance(Duration.ofMillis(500));
        assertThat(caller.failure()).isInstanceOf(BackendException.class);
    }

    /** Lets time pass from one wake to the next. */
    private void passUntil(BooleanSupplier condition) {
        await(() -> {
            boolean reached = condition.getAsBoolean();
            if (!reached) {
                bench.time
                        .untilNextWake()
                        .filter(wake -> wake.compareTo(RELEASE_LIMIT) <= 0)
                        .ifPresent(bench.time::advance);
            }
            return reached;
        });
    }

    private void await(BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - until)
                    .as(
                            "waited in vain after %s, %s releases, the next wake is in %s",
                            passed(), releases, bench.time.untilNextWake())
                    .isNegative();
            Thread.yield();
        }
    }

    private static boolean nobodyRepeats() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("fenceline-undo-retries"));
    }

    private Duration passed() {
        return Duration.ofNanos(bench.time.nanos() - began);
    }

    private void parkFor(Duration time) {
        long until = bench.time.nanos() + time.toNanos();
        try {
            while (until - bench.time.nanos() > 0) {
                bench.time.park(until - bench.time.nanos());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
