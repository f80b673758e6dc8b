package io.fenceline.shedlock;

import io.fenceline.LeaseLostException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a job's run. Each extension makes a new one for the same run and ends the old one. Unlike ShedLock's {@code
 * AbstractSimpleLock}, it can still be unlocked after an extension that was refused: the executor unlocks it at the end of the job, and
 * would throw in place of the job's own outcome.
 */
final class JobLock implements SimpleLock {

    private final String name;
    private final JobRun run;

    /** The end of the extension's {@code lockAtLeastFor}, by the ticker; null for the first lock, whose lease has a minimum hold. */
    private final @Nullable Long keptUntilNanos;

    private boolean valid = true;

    JobLock(String name, JobRun run) {
        this(name, run, null);
    }

    private JobLock(String name, JobRun run, @Nullable Long keptUntilNanos) {
        this.name = name;
        this.run = run;
        this.keptUntilNanos = keptUntilNanos;
    }

    @Override
    public void unlock() {
        ensureValid();
        valid = false;
        if (keptUntilNanos == null) {
            run.end();
        } else {
            run.end(keptUntilNanos);
        }
    }

    @Override
    public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
        ensureValid();
        LockConfiguration extended = new LockConfiguration(ClockProvider.now(), name, lockAtMostFor, lockAtLeastFor);
        if (!run.lease().isHeld()) {
            return Optional.empty();
        }
        try {
            run.lease().extend(FencelineLockProvider.ttl(extended));
        } catch (LeaseLostException e) {
            return Optional.empty();
        }
        valid = false;
        long keptUntil = run.nanos() + FencelineLockProvider.minHold(extended).toNanos();
        return Optional.of(new JobLock(name, run, keptUntil));
    }

    private void ensureValid() {
        if (!valid) {
            throw new IllegalStateException("lock '" + name + "' was unlocked or extended before");
        }
    }
}
