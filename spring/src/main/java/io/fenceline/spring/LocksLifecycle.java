package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.fenceline.time.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Closes the locks when the application closes, after web servers, listeners of messages and schedulers have stopped. Before that it lets tasks of
 * thread pools end that Spring shuts down later, while they use locks, and other holders for the grace. Then the leases are lost, bodies of locked calls are interrupted if the
 * options say so, and each release that follows within another grace reaches a store that is still open.
 *
 * <p>Must be a listener of the locks. A context that is only stopped, and can start again, keeps its locks.
 */
public final class LocksLifecycle
        implements LockListener, SmartLifecycle, ApplicationContextAware, ApplicationListener<ContextClosedEvent> {

    private static final System.Logger LOG = System.getLogger("io.fenceline.spring");

    private static final long LOOK_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A task that takes one lock after another pauses for less, as a rule; others need no locks. */
    private static final long USED_LATELY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ObjectProvider<Locks> locks;
    private final Duration work;
    private final Duration grace;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition released = guard.newCondition();
    private final Set<FenceStamp> held = new HashSet<>();
    private final Ticker ticker;
    private long lastUsedNanos;
    private @Nullable ApplicationContext context;
    private volatile boolean running;
    private volatile @Nullable Long closingSince;

    /**
     * Creates a listener, to be given to the locks.
     *
     * @param locks all locks of the application that have this listener
     * @param work how long tasks of Spring's thread pools may go on, from when the context begins to close; those that have taken no lock for two seconds
     *     are not waited for
     * @param grace how long other holders may go on, and how long to wait for those that have lost their lease
     */
    public LocksLifecycle(ObjectProvider<Locks> locks, Duration work, Duration grace) {
        this(locks, work, grace, Ticker.system());
    }

    LocksLifecycle(ObjectProvider<Locks> locks, Duration work, Duration grace, Ticker ticker) {
        this.locks = requireNonNull(locks, "locks");
        this.work = requireNonNull(work, "work");
        this.grace = requireNonNull(grace, "grace");
        this.ticker = ticker;
        this.lastUsedNanos = ticker.nanos() - USED_LATELY_NANOS;
    }

    @Override
    public void on(LockEvent event) {
        guard.lock();
        try {
            if (event instanceof LockEvent.Acquired acquired) {
                held.add(acquired.stamp());
                lastUsedNanos = ticker.nanos();
            } else if (event instanceof LockEvent.Released || event instanceof LockEvent.ReleaseFailed) {
                held.remove(((LockEvent.OfLease) event).stamp());
                lastUsedNanos = ticker.nanos();
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
        if (event.getApplicationContext() == context && closingSince == null) {
            closingSince = ticker.nanos();
        }
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        if (!(context instanceof ConfigurableApplicationContext closing) || !closing.isClosed()) {
            return;
        }
        Long since = closingSince; // null where the event is late, behind one listener or another
        long workNanos = since == null ? work.toNanos() : work.toNanos() - (ticker.nanos() - since);
        var executors = closing.getBeansOfType(ExecutorConfigurationSupport.class, false, false)
                .values();
        BooleanSupplier tasksRun = () -> areInUse() && executors.stream().anyMatch(LocksLifecycle::hasTasks);
        Set<FenceStamp> working = held();
        if (workNanos > 0 && (!working.isEmpty() || tasksRun.getAsBoolean())) {
            LOG.log(
                    Level.INFO,
                    "waiting for up to {0} ms for tasks of thread pools, up to {1} ms for others, and {2} locks: {3}",
                    TimeUnit.NANOSECONDS.toMillis(workNanos),
                    Math.min(grace.toMillis(), TimeUnit.NANOSECONDS.toMillis(workNanos)),
                    working.size(),
                    working);
        }
        awaitReleases(workNanos, tasksRun);
        locks.forEach(Locks::close);
        Set<FenceStamp> left = awaitReleases(grace.toNanos(), () -> false);
        if (!left.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "{0} locks were not released within {1} ms of the shutdown; each stays taken until its ttl ends: {2}",
                    left.size(),
                    TimeUnit.NANOSECONDS.toMillis(grace.toNanos()),
                    left);
        }
    }

    /**
     * Returns whether an executor has tasks, as one can at this time that Spring shuts down later, to let them end. A task can take one lock after
     * another.
     */
    private static boolean hasTasks(ExecutorConfigurationSupport executor) {
        if (executor instanceof ThreadPoolTaskExecutor pool) {
            return pool.getActiveCount() > 0 || pool.getQueueSize() > 0;
        }
        return executor instanceof ThreadPoolTaskScheduler scheduler // what waits there is due later
                && scheduler.getActiveCount() > 0;
    }

    /** Waits for the releases of all leases, up to the grace, and for the end of something else. Returns the leases that are not released. */
    private Set<FenceStamp> awaitReleases(long longestNanos, BooleanSupplier goesOn) {
        long begin = System.nanoTime();
        long end = begin + longestNanos;
        long graceEnd = begin + grace.toNanos();
        guard.lock();
        try {
            while (end - System.nanoTime() > 0
                    && ((!held.isEmpty() && graceEnd - System.nanoTime() > 0) || goesOn.getAsBoolean())) {
                long unused = released.awaitNanos(LOOK_UP_NANOS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            guard.unlock();
        }
        return held();
    }

    private boolean areInUse() {
        guard.lock();
        try {
            return !held.isEmpty() || ticker.nanos() - lastUsedNanos < USED_LATELY_NANOS;
        } finally {
            guard.unlock();
        }
    }

    private Set<FenceStamp> held() {
        guard.lock();
        try {
            return Set.copyOf(held);
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
