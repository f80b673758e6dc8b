package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockCall;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.process.SignalForwarding;
import io.fenceline.guard.FenceGuard;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockListener;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** One run of {@code exec} or {@code hold}: acquires the lock, runs the work, releases, and maps failures to exit codes. */
public final class LockRun {

    /** For how long a release that failed is repeated, if no minimum hold depends on it. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);

    private final CommandContext context;
    private final AcquireOptions acquire;
    private final LockKey key;
    private final LastRelease release = new LastRelease();

    /** The end of the lease by {@link System#nanoTime}, as it was when the work ended. */
    private long leaseEndNanos;

    /** The store could not be opened at first. */
    private boolean storeFailed;

    /** When the wait began by {@link System#nanoTime}: with the wait for the lock, or for the store if that failed first. */
    private long waitingSince;

    /** Guarded by this object: the loss is told on a thread of the engine too. */
    private boolean toldLoss;

    public LockRun(CommandContext context, AcquireOptions acquire, LockKey key) {
        this.context = context;
        this.acquire = acquire;
        this.key = key;
    }

    /**
     * Runs the work under the lock and returns its exit code. A signal that ends this JVM interrupts the wait and the
     * work.
     *
     * @param minHold for how long the lock stays taken at least, if the work begins
     * @return its exit code, or that of a lost lease
     * @throws CommandFailure if the lock was not acquired
     */
    public int run(Duration stopping, Duration minHold, LockListener listener, LockCall<Integer, Exception> work)
            throws Exception {
        LockOptions options =
                acquire.lockOptions(context.environment(), stopping).withMinHold(minHold);
        return ShutdownInterrupt.during(Duration.ZERO, shutdown -> run(shutdown, options, listener, work));
    }

    private int run(
            ShutdownInterrupt shutdown, LockOptions options, LockListener listener, LockCall<Integer, Exception> work)
            throws Exception {
        Duration limit = OutageLimit.within(options.maxWait());
        waitingSince = System.nanoTime();
        WaitNotice notice = WaitNotice.start(context, acquire.lease.verbose);
        BiConsumer<BackendException, Duration> onOutage = (failure, retried) -> {
            if (!retried.isZero() && !shutdown.hasBegun()) {
                notice.storeIsKnown();
                storeFailed = true;
                context.errors().outage(retried, failure);
            }
        };
        try (notice;
                LockBackend opened = OpenRetry.open(context.store(), limit, TimeSource.system(), onOutage);
                LockBackend backend = observed(
                        notice,
                        new OutageLimit(opened, failure -> onOutage.accept(failure, OutageLimit.within(rest(options)))),
                        options);
                Locks locks = Locks.builder(backend)
                        .listener(listener)
                        .listener(release)
                        .onReleaseError(release)
                        .build()) {
            LockCall<Integer, Exception> body = watching(claiming(backend, work));
            shutdown.throwIfBegun();
            int exitCode = locks.call(key.value(), remaining(options), body);
            boolean keeps = !options.minHold().isZero();
            if (keeps || !shutdown.hasBegun()) {
                awaitRepeatedRelease(keeps ? options.ttl() : RELEASE_LIMIT);
            }
            release.failure().ifPresent(e -> printReleaseFailure(e, options));
            return exitCode;
        } catch (InterruptedException e) {
            release.failure().ifPresent(failure -> printReleaseFailure(failure, options));
            throw e;
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                shutdown.throwIfBegun(); // a driver that starts while the JVM shuts down fails, which needs no message
            }
            throw e;
        } catch (LockTimeoutException e) {
            throw acquire.notAcquired(e);
        } catch (LeaseLostException e) {
            tell(e);
            return ExitCode.LEASE_LOST;
        }
    }

    /** The options for the wait for the lock, which an outage at the start has shortened: what was printed of its end stays true. */
    private LockOptions remaining(LockOptions options) {
        if (storeFailed) {
            return options.withMaxWait(rest(options));
        }
        waitingSince = System.nanoTime();
        return options;
    }

    private Duration rest(LockOptions options) {
        Duration rest = options.maxWait().minusNanos(System.nanoTime() - waitingSince);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** Prints the loss once: when it happens, or when the release finds it. What is closed then can take seconds in an outage. */
    private synchronized void tell(LeaseLostException loss) {
        if (!toldLoss) {
            toldLoss = true;
            String renewal = loss.getCause() == null
                    ? ""
                    : " (the last renewal failed: " + loss.getCause().getMessage() + ")";
            context.errors()
                    .print(loss.getMessage() + renewal + "; another process may have acquired the lock since", loss);
        }
    }

    /** The backend, whose wait for the lock is noticed if there is one. */
    private LockBackend observed(WaitNotice notice, LockBackend backend, LockOptions options) {
        notice.storeIsKnown();
        return options.maxWait().isZero() ? backend : notice.observing(backend, "lock '" + key + "', held");
    }

    /** The work, preceded by the claims of {@code --claim}. A refused claim prevents it. */
    private LockCall<Integer, Exception> claiming(LockBackend backend, LockCall<Integer, Exception> work) {
        if (acquire.lease.claims.isEmpty()) {
            return work;
        }
        FenceGuard guard = context.fences(backend).guard();
        List<String> resources = acquire.lease.claimed();
        return lease -> {
            try {
                guard.claimAll(resources, lease.stamp());
            } catch (RuntimeException e) {
                releaseUnused(lease, e);
                throw e;
            }
            return work.call(lease);
        };
    }

    /** The work; tells of a loss, and remembers how long the lease runs at the end, for which a release that fails is repeated. */
    private LockCall<Integer, Exception> watching(LockCall<Integer, Exception> work) {
        return lease -> {
            lease.lost().thenAccept(this::tell);
            int exitCode = work.call(lease);
            leaseEndNanos = System.nanoTime() + lease.remaining().toNanos();
            SignalForwarding.replaceEnding(release::stopWaiting);
            return exitCode;
        };
    }

    /**
     * Waits while the engine repeats a release that failed, at most to the lease's end or a signal: a connection that was cut must
     * not keep the lock taken, and nothing else keeps a minimum hold.
     */
    private void awaitRepeatedRelease(Duration limit) throws InterruptedException {
        Optional<BackendException> outage = release.outage();
        Duration rest = Duration.ofNanos(leaseEndNanos - System.nanoTime());
        Duration left = rest.compareTo(limit) < 0 ? rest : limit;
        if (outage.isPresent() && !left.isNegative()) {
            context.errors().outage(left, outage.get());
            release.awaitRepetition(left);
        }
    }

    /** Releases a lease whose work did not begin, without a minimum hold. If that fails, the end of the run reports it. */
    static void releaseUnused(Lease lease, Exception cause) {
        try {
            lease.releaseAfter(Duration.ZERO);
        } catch (BackendException e) {
            cause.addSuppressed(e);
        }
    }

    /** Does not change the exit code: the work ended under the lock, and others only wait a little longer, or not at all. */
    private void printReleaseFailure(RuntimeException e, LockOptions options) {
        String kept = options.minHold().isZero() ? "" : "may not be kept for " + DurationText.of(options.minHold());
        if (!release.isEnded()) {
            String expiry = "was not released; it expires within " + DurationText.of(options.ttl());
            context.errors()
                    .print(
                            "lock '" + key + "' " + (kept.isEmpty() ? expiry : expiry + ", and " + kept) + ": "
                                    + e.getMessage(),
                            e);
        } else if (!kept.isEmpty()) {
            context.errors()
                    .print("lock '" + key + "' " + kept + ": when the store answered again, it had no such lease", e);
        }
    }
}
