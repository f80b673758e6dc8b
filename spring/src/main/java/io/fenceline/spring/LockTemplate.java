package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockCall;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTask;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs code under a lock, on the terms of {@link Locked}: outside of transactions, joining a lease that the thread holds, and with {@link
 * TransactionFences}, if it has any, for the transactions within. For code that does not use annotations.
 *
 * <pre>{@code
 * template.run("invoice:42", lease -> transactions.executeWithoutResult(status -> orders.markPaid(42)));
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class LockTemplate {

    private final Locks locks;
    private final LockOptions options;
    private final InTransaction inTransaction;
    private final @Nullable TransactionFences fences;

    private LockTemplate(
            Locks locks, LockOptions options, InTransaction inTransaction, @Nullable TransactionFences fences) {
        this.locks = requireNonNull(locks, "locks");
        this.options = requireNonNull(options, "options");
        this.inTransaction = requireNonNull(inTransaction, "inTransaction");
        this.fences = fences;
    }

    /**
     * Returns a template without fences that refuses calls within transactions.
     *
     * @param locks the locks; closed by their owner
     * @return a template with the options of the locks
     */
    public static LockTemplate of(Locks locks) {
        return new LockTemplate(requireNonNull(locks, "locks"), locks.defaults(), InTransaction.REFUSE, null);
    }

    /**
     * Returns a template on other locks, with their options.
     *
     * @param locks the locks; closed by their owner
     * @return a template
     */
    public LockTemplate withLocks(Locks locks) {
        return new LockTemplate(requireNonNull(locks, "locks"), locks.defaults(), inTransaction, fences);
    }

    /**
     * Returns a template with other options.
     *
     * @param options of calls that bring none
     * @return a template
     */
    public LockTemplate withOptions(LockOptions options) {
        return new LockTemplate(locks, options, inTransaction, fences);
    }

    /**
     * Returns a template with another treatment of calls within transactions.
     *
     * @param inTransaction the treatment
     * @return a template
     */
    public LockTemplate withInTransaction(InTransaction inTransaction) {
        return new LockTemplate(locks, options, inTransaction, fences);
    }

    /**
     * Returns a template that claims the resources before it runs a body, so that what the body reads stays valid until it commits.
     *
     * @param fences the listener of the transaction managers
     * @return a template
     */
    public LockTemplate withFences(TransactionFences fences) {
        return new LockTemplate(locks, options, inTransaction, requireNonNull(fences, "fences"));
    }

    /**
     * Runs work under a lock and guards the resource of the same name, as {@link #call(String, LockOptions, Collection, LockCall)}
     * does.
     *
     * @param key the lock, and the resource that the work writes
     * @param task the work
     * @param <X> what it throws
     * @throws X what the task throws
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <X extends Exception> void run(String key, LockTask<X> task) throws X, InterruptedException {
        requireNonNull(task, "task");
        this.<Boolean, X>call(key, lease -> {
            task.run(lease);
            return true;
        });
    }

    /**
     * Runs work that has a result under a lock and guards the resource of the same name, as {@link #call(String, LockOptions,
     * Collection, LockCall)} does.
     *
     * @param key the lock, and the resource that the work writes
     * @param call the work
     * @param <T> its result
     * @param <X> what it throws
     * @return its result
     * @throws X what the call throws
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <T extends @Nullable Object, X extends Exception> T call(String key, LockCall<T, X> call)
            throws X, InterruptedException {
        return call(key, options, List.of(key), call);
    }

    /**
     * Runs work that has a result under a lock, and guards resources. Joins the lease if the thread holds the lock by a template or
     * an annotation; the options are not used then.
     *
     * @param key the lock; see {@link LockKey}
     * @param options options of this acquisition
     * @param resources the names of what the work writes
     * @param call the work
     * @param <T> its result
     * @param <X> what it throws
     * @return its result; the lease was held until the call returned
     * @throws X what the call throws
     * @throws io.fenceline.guard.RefusedWriteException if a newer holder has begun already; the call did not run
     * @throws LeaseLostException if the call returned after the lease was lost, or was interrupted because of it
     * @throws LockTimeoutException if the lock was not free within the wait
     * @throws io.fenceline.BackendException if the store failed, or the database when the resources were claimed
     * @throws IllegalStateException if the thread is in a transaction and this template refuses that
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public <T extends @Nullable Object, X extends Exception> T call(
            String key, LockOptions options, Collection<String> resources, LockCall<T, X> call)
            throws X, InterruptedException {
        requireNonNull(call, "call");
        LockKey lockKey = LockKey.of(key);
        Optional<Lease> held = FenceScope.held(locks, lockKey);
        if (held.isPresent()) {
            held.get().ensureHeld();
            return callInScope(held.get(), resources, call);
        }
        if (CallerTransaction.isActive()) {
            CallerTransaction.allow(inTransaction, "lock '" + lockKey + "'");
            Lease lease = locks.acquire(key, options);
            CallerTransaction.keep(lease);
            return callInScope(lease, resources, call);
        }
        return locks.<T, X>call(key, options, lease -> callInScope(lease, resources, call));
    }

    private <T extends @Nullable Object, X extends Exception> T callInScope(
            Lease lease, Collection<String> resources, LockCall<T, X> call) throws X {
        try (FenceScope scope = FenceScope.open(locks, lease, resources)) {
            begin(scope);
            return call.call(lease);
        }
    }

    /** Claims a scope's resources before its work, which may be in a transaction of the caller's. */
    void begin(FenceScope scope) {
        CallerTransaction.keep(scope);
        if (fences != null) {
            fences.begin(scope);
        }
    }

    Locks locks() {
        return locks;
    }

    LockOptions options() {
        return options;
    }

    InTransaction inTransaction() {
        return inTransaction;
    }

    boolean isFenced() {
        return fences != null;
    }
}
