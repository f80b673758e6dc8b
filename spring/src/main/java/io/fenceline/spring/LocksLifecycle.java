package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the locks when the application closes, after web servers, listeners of messages and schedulers have stopped, and waits for the
 * holders that still work: their leases are lost, bodies of locked calls are interrupted if the options say so, and each release that
 * follows reaches a store that is still open.
 *
 * <p>Must be a listener of the locks. A context that is only stopped, and can start again, keeps its locks.
 */
public final class LocksLifecycle
        implements LockListener, SmartLifecycle, ApplicationContextAware, ApplicationListener<ContextClosedEvent> {

    private static final System.Logger LOG = System.getLogger("io.fenceline.spring");

    private final ObjectProvider<Locks> locks;
    private final Duration grace;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition released = guard.newCondition();
    private final Set<FenceStamp> held = new HashSet<>();
    private @Nullable ApplicationContext context;
    private volatile boolean running;
    private volatile boolean closing;

    /**
     * Creates a listener, to be given to the locks.
     *
     * @param locks all locks of the application that have this listener
     * @param grace the maximum wait for holders that still work
     */
    public LocksLifecycle(ObjectProvider<Locks> locks, Duration grace) {
        this.locks = requireNonNull(locks, "locks");
        this.grace = requireNonNull(grace, "grace");
    }

    @Override
    public void on(LockEvent event) {
        guard.lock();
        try {
            if (event instanceof LockEvent.Acquired acquired) {
                held.add(acquired.stamp());
            } else if (event instanceof LockEvent.Released || event instanceof LockEvent.ReleaseFailed) {
                held.remove(((LockEvent.OfLease) event).stamp());
                released.signalAll();
            } else if (event instanceof LockEvent.Lost lost && lost.reason() != LossReason.LOCKS_CLOSED) {
                held.remove(lost.stamp()); // nothing is left to release, and its holder may never do so
                released.signalAll();
            }
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void setApplicationContext(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        closing |= event.getApplicationContext() == context;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        if (!closing) {
            return;
        }
        locks.forEach(Locks::close);
        guard.lock();
        try {
            long nanos = grace.toNanos();
            while (!held.isEmpty() && nanos > 0) {
                nanos = released.awaitNanos(nanos);
            }
            if (!held.isEmpty()) {
                LOG.log(
                        Level.WARNING,
                        "{0} locks were not released within {1} ms of the shutdown; each stays taken until its ttl ends: {2}",
                        held.size(),
                        TimeUnit.NANOSECONDS.toMillis(grace.toNanos()),
                        held);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            guard.unlock();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Phase 0: schedulers and executors of Spring, web servers and listeners of messages stop before. */
    @Override
    public int getPhase() {
        return 0;
    }
}
