package io.fenceline.shedlock;

import io.fenceline.Lease;
import io.fenceline.time.Ticker;
import java.time.Duration;

/** A lease from lock to unlock, and the thread that took it. Extended locks share it. */
final class JobRun {

    private static final System.Logger LOG = System.getLogger(JobRun.class.getName());

    private final Lease lease;
    private final Ticker ticker;
    private final Thread thread = Thread.currentThread();
    private boolean interrupted;
    private boolean ended;

    JobRun(Lease lease, Ticker ticker) {
        this.lease = lease;
        this.ticker = ticker;
    }

    Lease lease() {
        return lease;
    }

    long nanos() {
        return ticker.nanos();
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** Interrupts the thread, unless the run has ended. */
    synchronized void interrupt() {
        if (!ended) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /** Ends the run and releases its lease, or keeps it for the rest of the minimum hold. Never fails, since ShedLock would throw the failure in place of the job's own outcome. */
    void end() {
        stopInterrupting();
        lease.close();
    }

    /** Ends the run like {@link #end()}, with another end of the minimum hold. */
    void end(long keptUntilNanos) {
        stopInterrupting();
        Duration rest = Duration.ofNanos(Math.max(0, keptUntilNanos - nanos()));
        try {
            lease.releaseAfter(rest);
        } catch (RuntimeException e) {
            if (rest.isZero()) {
                lease.close(); // repeats it in the background
                return;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the lock of a job was not released; it stays taken until its ttl ends",
                    e);
        }
    }

    private synchronized void stopInterrupting() {
        ended = true;
        if (interrupted && thread == Thread.currentThread()) {
            Thread.interrupted();
        }
    }
}
