package io.fenceline.cli;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LeaseLostException;
import io.fenceline.LockBody;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceGuard;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockListener;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Work under a lock, told in exit codes: what {@code exec} and {@code hold} have in common. */
final class UnderLock {

    private final Fenceline root;
    private final TakeOptions take;
    private final LockKey key;
    private @Nullable RuntimeException releaseFailure;

    UnderLock(Fenceline root, TakeOptions take, LockKey key) {
        this.root = root;
        this.take = take;
        this.key = key;
    }

    /**
     * Takes the lock, has the work done, and releases the lock however the work ends. A signal that ends this JVM interrupts
     * the wait and the work.
     *
     * @param stopping how long the work needs to stop once the lease is lost
     * @param listener told what happens to the lease
     * @param work answers its exit code
     * @return the work's exit code
     * @throws CommandFailure if the lock was not acquired, or the lease was lost before the work ended
     */
    int run(Duration stopping, LockListener listener, LockBody<Integer, Exception> work) throws Exception {
        LockOptions options = take.lockOptions(root.surroundings(), stopping);
        return ShutdownInterrupt.during(shutdown -> run(shutdown, options, listener, work));
    }

    private int run(
            ShutdownInterrupt shutdown, LockOptions options, LockListener listener, LockBody<Integer, Exception> work)
            throws Exception {
        Duration patience = OutageLimit.within(options.maxWait());
        Consumer<BackendException> outages = failure -> {
            if (!patience.isZero() && !shutdown.hasBegun()) {
                root.complaints().outage(patience, failure);
            }
        };
        try (LockBackend store = PatientOpening.of(root::open, patience, TimeSource.system(), outages);
                LockBackend backend = new OutageLimit(store, outages);
                Locks locks = Locks.builder(backend)
                        .listener(listener)
                        .onReleaseError((stamp, e) -> releaseFailure = e)
                        .build()) {
            LockBody<Integer, Exception> claimed = claiming(backend, work);
            shutdown.ensureNone();
            int exitCode = locks.run(key.value(), options, claimed);
            if (releaseFailure != null) {
                notReleased(releaseFailure);
            }
            return exitCode;
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                shutdown.ensureNone(); // drivers fail when they are started while the JVM ends; nobody wants to know
            }
            throw e;
        } catch (LockTimeoutException e) {
            throw take.notAcquired(e);
        } catch (LeaseLostException e) {
            throw new CommandFailure(ExitCode.LEASE_LOST, e.getMessage() + "; another may have had the lock since", e);
        }
    }

    /** Has the resources claimed before the work begins; a refused claim keeps it from beginning. */
    private LockBody<Integer, Exception> claiming(LockBackend backend, LockBody<Integer, Exception> work) {
        if (take.lease.claims.isEmpty()) {
            return work;
        }
        FenceGuard guard = root.ability(backend, FenceCatalog.class).guard();
        List<String> resources = take.lease.claimed();
        return lease -> {
            guard.claimAll(resources, lease.stamp());
            return work.run(lease);
        };
    }

    /** Not worth the work's exit code: it ended under the lock, and others have to wait a little longer. */
    private void notReleased(RuntimeException e) {
        root.complaints()
                .tell(
                        "lock '" + key + "' was not released and stays taken for " + DurationText.of(take.lease.ttl())
                                + " at most: " + e.getMessage(),
                        e);
    }
}
