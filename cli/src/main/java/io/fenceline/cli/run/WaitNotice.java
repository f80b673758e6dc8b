package io.fenceline.cli.run;

import io.fenceline.Holder;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Prints what a command waits for: the store until it answers, then the lock and its holder, each once. Prints when the wait has
 * lasted for two seconds, with {@code --verbose} as soon as the lock is found taken; else, if nobody sits at a terminal, never.
 */
final class WaitNotice implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final ErrorOutput errors;
    private final CountDownLatch over = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    // guarded by lock
    private boolean due;
    private boolean printed;
    private boolean contended;
    private String subject;

    private WaitNotice(ErrorOutput errors, String subject, boolean due) {
        this.errors = errors;
        this.subject = subject;
        this.due = due;
    }

    /** Starts with the wait for the store. */
    static WaitNotice start(CommandContext context, boolean verbose) {
        WaitNotice notice = new WaitNotice(
                context.errors(), "the store '" + context.store() + "', which has not answered yet", verbose);
        if (verbose || context.environment().terminal()) {
            Thread timer = new Thread(notice::printLater, "wait-notice");
            timer.setDaemon(true);
            timer.start();
        }
        return notice;
    }

    private void printLater() {
        try {
            if (!over.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                update(() -> due = true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // never happens
        }
    }

    /** The store has answered, or its failure was printed. */
    void storeIsKnown() {
        update(() -> printed = true);
    }

    /** Backend decorator that notices that the lock is taken, and that it was granted. {@code what} names the lock. */
    LockBackend observing(LockBackend backend, String what) {
        return new ForwardingLockBackend(backend) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                Acquisition outcome = super.acquire(request);
                if (outcome instanceof Acquisition.Contended other) {
                    taken(what + " by " + other.holder().map(Holder::text).orElse("another process"));
                } else {
                    WaitNotice.this.close();
                }
                return outcome;
            }
        };
    }

    private void taken(String present) {
        update(() -> {
            printed = printed && contended;
            contended = true;
            subject = present;
        });
    }

    private void update(Runnable change) {
        lock.lock();
        try {
            change.run();
            if (due && !printed && over.getCount() > 0) {
                errors.print("waiting for " + subject);
                printed = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait; nothing is printed from now on. */
    @Override
    public void close() {
        lock.lock();
        try {
            over.countDown();
        } finally {
            lock.unlock();
        }
    }
}
