package io.fenceline.internal;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

/** An acquisition on another thread, whose result is either handed to the future or undone. */
public final class AsyncAcquire {

    private final CompletableFuture<Lease> future = new CompletableFuture<>();
    private final Engine engine;
    private final LockKey key;
    private final LockOptions options;

    /** Guarded by this object: no interrupt is sent once it is set. */
    private boolean ended;

    private AsyncAcquire(Engine engine, LockKey key, LockOptions options) {
        this.engine = engine;
        this.key = key;
        this.options = options;
    }

    /** See {@link io.fenceline.Locks#acquireAsync(String, LockOptions)}. */
    public static CompletableFuture<Lease> start(Engine engine, LockKey key, LockOptions options) {
        AsyncAcquire acquire = new AsyncAcquire(engine, key, options);
        FutureTask<?> task = new FutureTask<>(acquire::run, null);
        engine.threads().async().execute(task);
        acquire.endWithFuture(task);
        return acquire.future;
    }

    /** Interrupts the attempt if the future is cancelled, times out, or is completed by other code. */
    @SuppressWarnings("FutureReturnValueIgnored") // no code uses the stage made here
    private void endWithFuture(FutureTask<?> task) {
        future.whenComplete((lease, error) -> {
            synchronized (this) {
                if (!ended) {
                    task.cancel(true);
                }
            }
        });
    }

    private synchronized void end() {
        ended = true;
    }

    private void run() {
        try {
            HeldLease lease = Acquiring.waitFor(engine, key, options);
            lease.leavesThread();
            end();
            if (!future.complete(lease)) {
                Thread.interrupted(); // clears an interrupt that came too late, so that it does not disturb the release
                Undo.close(engine, lease);
            }
        } catch (Throwable e) { // callers wait for the future
            end();
            future.completeExceptionally(e);
        }
    }
}
