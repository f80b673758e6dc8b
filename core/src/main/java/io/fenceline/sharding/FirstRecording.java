package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Records a set of stores on a thread of its own, one attempt at a time: it may take longer than its callers want to wait. */
final class FirstRecording {

    /** Stores that do not answer are not waited for. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

    private final Runnable recording;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable FutureTask<Void> latestAttempt;

    FirstRecording(Runnable recording) {
        this.recording = recording;
    }

    /**
     * Waits for the attempt that is under way, or for a new one.
     *
     * @return what is left of the timeout, above zero
     * @throws BackendException if the attempt takes longer, and then goes on, or fails
     */
    Duration await(Duration timeout) {
        FutureTask<Void> attempt = attemptUnderWay();
        long end = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    attempt.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                    return Duration.ofNanos(Math.max(1, end - System.nanoTime()));
                } catch (InterruptedException e) {
                    interrupted = true; // no interrupt ends a request to a store
                }
            }
        } catch (TimeoutException e) {
            String message = "the set of stores was not recorded within " + timeout.toMillis()
                    + " ms: a store is far away or does not answer, or another process is recording it; 'fenceline schema"
                    + " install' records it without a limit";
            throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.NONE, message, null);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Begins an attempt if none is under way. */
    private FutureTask<Void> attemptUnderWay() {
        lock.lock();
        try {
            FutureTask<Void> attempt = latestAttempt;
            if (attempt == null || attempt.isDone()) {
                attempt = new FutureTask<>(recording, null);
                Thread thread = new Thread(attempt, "fenceline-sharding");
                thread.setDaemon(true);
                thread.start();
                latestAttempt = attempt;
            }
            return attempt;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end of an attempt, since the stores are closed next, and it holds locks in them. */
    void close() {
        FutureTask<Void> attempt = latestAttempt;
        if (attempt == null) {
            return;
        }
        try {
            attempt.get(LONGEST_CLOSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // its callers were told
        }
    }
}
