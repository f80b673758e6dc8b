package io.fenceline.testkit;

import io.fenceline.time.Delays;
import io.fenceline.time.Ticker;
import io.fenceline.time.TimeSource;
import io.fenceline.time.WallClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Time that stands still until a test moves it.
 *
 * <p>Threads that wait by it wake when their time has come, counted from their last reading of the ticker, when they are {@link #wake woken}, or when they are interrupted;
 * never for no reason. A test lets threads run until they wait ({@link #awaitParked}), moves time, and so knows in what order
 * things happen without sleeping itself.
 */
public final class ManualTime implements Ticker, WallClock, Delays {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Guards everything below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition parkedMore = lock.newCondition();
    private final List<Parked> parked = new ArrayList<>();
    private final Set<Thread> permits = Collections.newSetFromMap(new WeakHashMap<>());
    /** What each thread has read last. A wait counts from there: time may pass between the reading and the wait. */
    private final Map<Thread, Long> readings = new WeakHashMap<>();

    private long nanos;
    private Instant wallTime;

    /** Creates time that starts at 2026-01-01T00:00:00Z. */
    public ManualTime() {
        this(Instant.parse("2026-01-01T00:00:00Z"));
    }

    /**
     * Creates time.
     *
     * @param wallTime what the wall clock says first
     */
    public ManualTime(Instant wallTime) {
        this.wallTime = wallTime;
        // Near the overflow, which code that compares readings instead of differences does not survive.
        this.nanos = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos();
    }

    /**
     * Returns this time as the engine takes it.
     *
     * @return this ticker, this wall clock, these delays
     */
    public TimeSource source() {
        return new TimeSource(this, this, this);
    }

    /**
     * Lets time pass: both clocks move on, and threads whose wait is over wake.
     *
     * @param time how much; not negative
     */
    public void advance(Duration time) {
        requireNotNegative(time);
        locked(() -> {
            nanos += time.toNanos();
            wallTime = wallTime.plus(time);
            readings.put(Thread.currentThread(), nanos);
            parked.stream()
                    .filter(waiter -> waiter.endNanos - nanos <= 0)
                    .toList()
                    .forEach(this::unpark);
        });
    }

    /**
     * Sets the wall clock, as an administrator does. The ticker stays.
     *
     * @param step how far; negative to set it back
     */
    public void stepWallClock(Duration step) {
        locked(() -> wallTime = wallTime.plus(step));
    }

    /**
     * Lets the machine sleep: the wall clock moves on, the ticker stands still, and nobody wakes.
     *
     * @param time how long; not negative
     */
    public void suspend(Duration time) {
        requireNotNegative(time);
        stepWallClock(time);
    }

    /**
     * Blocks until that many threads wait. Threads that were woken do not count, even if they have not run yet.
     *
     * @param threads how many, at least
     * @throws AssertionError if they do not within ten seconds of real time
     */
    public void awaitParked(int threads) {
        lock.lock();
        try {
            long left = PATIENCE.toNanos();
            while (parked.size() < threads) {
                if (left <= 0) {
                    throw new AssertionError(
                            "after " + PATIENCE.toSeconds() + " s " + parked.size() + " threads wait, not "
                                    + threads + ": " + parked + "; a thread dump (jstack "
                                    + ProcessHandle.current().pid()
                                    + ") shows what the others do");
                }
                left = parkedMore.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while waiting for threads to wait", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how far time has to be advanced until the next thread wakes.
     *
     * @return the time to the earliest end of a wait, or empty if nobody waits
     */
    public Optional<Duration> untilNextWake() {
        lock.lock();
        try {
            return parked.stream()
                    .map(waiter -> Duration.ofNanos(waiter.endNanos - nanos))
                    .min(Duration::compareTo);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanos() {
        lock.lock();
        try {
            readings.put(Thread.currentThread(), nanos);
            return nanos;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long millis() {
        lock.lock();
        try {
            return wallTime.toEpochMilli();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void park(long nanosToWait) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long end = readings.getOrDefault(Thread.currentThread(), nanos) + longestOf(nanosToWait);
            if (end - nanos <= 0 || permits.remove(Thread.currentThread())) {
                readings.put(Thread.currentThread(), nanos);
                return;
            }
            Parked waiter = new Parked(Thread.currentThread(), end, lock.newCondition());
            parked.add(waiter);
            parkedMore.signalAll();
            try {
                while (parked.contains(waiter)) {
                    waiter.wakeUp.await();
                }
            } finally {
                parked.remove(waiter);
                readings.put(Thread.currentThread(), nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wake(Thread thread) {
        locked(() -> parked.stream()
                .filter(waiter -> waiter.thread == thread)
                .findFirst()
                .ifPresentOrElse(this::unpark, () -> permits.add(thread)));
    }

    private void unpark(Parked waiter) {
        parked.remove(waiter);
        waiter.wakeUp.signal();
    }

    /** Differences of readings must not overflow, so a wait without an end has one in 146 years. */
    private static long longestOf(long nanosToWait) {
        return Math.min(nanosToWait, Long.MAX_VALUE / 2);
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private static void requireNotNegative(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time is " + time + ", it cannot be negative");
        }
    }

    /** A thread that waits. */
    private record Parked(Thread thread, long endNanos, Condition wakeUp) {
        @Override
        public String toString() {
            return thread.getName();
        }
    }
}
