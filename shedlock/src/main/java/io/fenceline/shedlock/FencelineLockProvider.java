package io.fenceline.shedlock;

import static java.util.Objects.requireNonNull;

import io.fenceline.BackendException;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A ShedLock provider on {@link Locks}: jobs keep {@code @SchedulerLock} and gain a fencing token.
 *
 * <pre>{@code
 * FencelineLockProvider provider = FencelineLockProvider.over(locks);   // the bean that ShedLock asks for
 * guard.write("report", provider.lease().orElseThrow().stamp(), work);  // in the job: refused if a later run has begun
 * }</pre>
 *
 * <p>The lock's name is the {@linkplain io.fenceline.LockKey key}, its times are those of the store's clock. {@code lockAtMostFor} is the ttl, and a
 * job that runs longer has lost its lease, which listeners of the locks are told. It is 1 ms at least and {@link LockOptions#MAX_TTL} at most;
 * a lock of less than 100 ms always lasts to its end, and cannot be extended. {@code lockAtLeastFor} is the minimum hold. Jobs and {@code Locks}
 * that use the same key exclude each other. The holder is that of the locks' defaults.
 *
 * <p>Thread-safe. A lock that is taken on one thread can be unlocked on another one.
 */
public final class FencelineLockProvider implements ExtensibleLockProvider {

    /** The shortest ttl: {@code lockAtMostFor} can be zero. */
    private static final Duration SHORTEST = Duration.ofMillis(1);

    /** Below it, {@code lockAtMostFor} may be over before the reply to the grant comes; the job is to run nevertheless. */
    private static final Duration BRIEF = Duration.ofMillis(100);

    /** The ttl of a brief lock until its end is set. */
    private static final Duration BRIEF_TTL = Duration.ofSeconds(5);

    /** A job that is not renewed is not stopped at its deadline either, so only clock drift is to cover. */
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(1);

    private final Locks locks;
    private final boolean renewed;

    @SuppressWarnings("ThreadLocalUsage") // one per provider, since ShedLock passes no lock to the job
    private final ThreadLocal<Deque<JobRun>> runs = ThreadLocal.withInitial(ArrayDeque::new);

    private FencelineLockProvider(Locks locks, boolean renewed) {
        this.locks = locks;
        this.renewed = renewed;
    }

    /**
     * Returns a provider whose locks end {@code lockAtMostFor} after they were taken or extended, as with other providers.
     *
     * @param locks takes the locks; the caller closes it after the jobs have ended
     * @return the provider
     */
    public static FencelineLockProvider over(Locks locks) {
        return new FencelineLockProvider(requireNonNull(locks, "locks"), false);
    }

    /**
     * Returns a provider whose locks are renewed until they are unlocked, so that {@code lockAtMostFor} is only how long a lock
     * outlives a crash. It can be some seconds, for a job that takes hours.
     *
     * <p>When a lease is lost, the thread that took the lock is interrupted. Its interrupt status is cleared when it unlocks.
     *
     * @return the provider; this one does not change
     */
    public FencelineLockProvider renewing() {
        return new FencelineLockProvider(locks, true);
    }

    /**
     * Takes the lock if it is free.
     *
     * @param configuration the name and the times; the instant of its creation is not used
     * @return the lock, or empty if it is taken. Its {@code unlock} does not fail if the store does not answer: the failure goes to the
     *     locks' listeners and {@link io.fenceline.ReleaseErrorHandler} (of an extended lock, to listeners and the log), and the lock stays taken to the end of its ttl at most. Its
     *     {@code extend} never shortens the lock
     * @throws BackendException if the store failed; ShedLock does not run the job then
     * @throws IllegalArgumentException if the name is no {@linkplain io.fenceline.LockKey key}, or {@code lockAtMostFor} is too long
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        Duration ttl = ttl(configuration);
        LockOptions options = LockOptions.defaults()
                .withHolder(locks.defaults().holder())
                .withTtl(ttl)
                .withMinHold(minHold(configuration));
        if (!renewed && ttl.compareTo(BRIEF) < 0) {
            return locks.tryAcquire(configuration.getName(), options.withTtl(BRIEF_TTL))
                    .filter(lease -> lease.releaseAfter(ttl) == ReleaseOutcome.RELEASED)
                    .map(lease -> begin(lease, configuration));
        }
        if (!renewed) {
            Duration margin = options.marginOf(ttl);
            options = options.withoutRenewal()
                    .withSafetyMargin(margin.compareTo(LONGEST_MARGIN) < 0 ? margin : LONGEST_MARGIN);
        }
        return locks.tryAcquire(configuration.getName(), options).map(lease -> begin(lease, configuration));
    }

    private SimpleLock begin(Lease lease, LockConfiguration configuration) {
        JobRun run = new JobRun(lease, locks.time().ticker());
        if (renewed) {
            lease.lost().thenRun(run::interrupt);
        }
        runsHere().push(run);
        return new JobLock(configuration.getName(), run);
    }

    /**
     * Returns the lease of the job that the calling thread runs, for its stamp.
     *
     * @return the lease of the lock that this thread took last from this provider and has not unlocked, also after it was lost
     */
    public Optional<Lease> lease() {
        return Optional.ofNullable(runsHere().peek()).map(JobRun::lease);
    }

    /** The locks of this thread, the last one first, without those that are unlocked. */
    private Deque<JobRun> runsHere() {
        Deque<JobRun> here = runs.get();
        here.removeIf(JobRun::hasEnded);
        return here;
    }

    static Duration ttl(LockConfiguration configuration) {
        Duration atMost = configuration.getLockAtMostFor();
        return atMost.compareTo(SHORTEST) < 0 ? SHORTEST : atMost;
    }

    static Duration minHold(LockConfiguration configuration) {
        Duration atLeast = configuration.getLockAtLeastFor();
        return atLeast.isNegative() ? Duration.ZERO : atLeast;
    }
}
