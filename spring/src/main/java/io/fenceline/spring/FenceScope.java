package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.ResourceName;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A stamp in force on the current thread, and the resources that it guards: until the scope is closed, {@link TransactionFences} enter
 * these resources in every transaction that the thread commits.
 *
 * <p>{@link Locked}, {@link LeaderOnly} and {@link LockTemplate} open scopes themselves. Open one to guard transactions by a stamp that
 * came from elsewhere, such as a message's. Scopes nest; those of outer code stay in force. Not inherited by other threads.
 */
public final class FenceScope implements AutoCloseable {

    private static final ThreadLocal<@Nullable Deque<FenceScope>> OPEN = new ThreadLocal<>();

    private final FenceStamp stamp;
    private final List<String> resources;
    private final @Nullable Locks locks;
    private final @Nullable Lease lease;
    private @Nullable Object claimer;

    private FenceScope(FenceStamp stamp, Collection<String> resources, @Nullable Locks locks, @Nullable Lease lease) {
        this.stamp = stamp;
        this.resources = resources.stream()
                .map(name -> ResourceName.of(name).value())
                .sorted()
                .toList();
        this.locks = locks;
        this.lease = lease;
    }

    /**
     * Puts a stamp in force on this thread. If the thread is in a transaction, the stamp stays in force until that has ended, however early the scope is
     * closed.
     *
     * @param stamp the writer's key and token
     * @param resources the names of what it writes
     * @return the scope, to be closed on the same thread
     * @throws IllegalArgumentException if a resource's name breaks the rules of {@link ResourceName}
     * @throws IllegalStateException if the end of the thread's transaction cannot be seen, so that it would commit unguarded
     */
    public static FenceScope open(FenceStamp stamp, Collection<String> resources) {
        FenceScope scope = ofStamp(stamp, resources);
        try {
            CallerTransaction.keep(scope);
        } catch (IllegalStateException e) {
            scope.close();
            throw e;
        }
        return scope;
    }

    /** Leaves a transaction of the thread's to the caller. */
    static FenceScope ofStamp(FenceStamp stamp, Collection<String> resources) {
        return open(new FenceScope(requireNonNull(stamp, "stamp"), requireNonNull(resources, "resources"), null, null));
    }

    static FenceScope open(Locks locks, Lease lease, Collection<String> resources) {
        return open(new FenceScope(lease.stamp(), requireNonNull(resources, "resources"), locks, lease));
    }

    private static FenceScope open(FenceScope scope) {
        ofThread().push(scope);
        return scope;
    }

    /** Opens a second scope like this one, outside of all others of the thread. */
    FenceScope openOutermost() {
        FenceScope copy = new FenceScope(stamp, resources, locks, lease);
        ofThread().addLast(copy);
        return copy;
    }

    private static Deque<FenceScope> ofThread() {
        Deque<FenceScope> open = OPEN.get();
        if (open == null) {
            open = new ArrayDeque<>(2);
            OPEN.set(open);
        }
        return open;
    }

    /** The scopes of this thread, the innermost first. */
    static Collection<FenceScope> current() {
        Deque<FenceScope> open = OPEN.get();
        return open == null ? List.of() : open;
    }

    static boolean isInForce(FenceStamp stamp) {
        return current().stream().anyMatch(scope -> scope.stamp.equals(stamp));
    }

    /** The lease that this thread holds, if it does. */
    static Optional<Lease> held(Locks locks, LockKey key) {
        return current().stream()
                .filter(scope -> scope.locks == locks)
                .map(FenceScope::lease)
                .filter(lease -> lease != null && lease.key().equals(key))
                .findFirst();
    }

    /** Returns whether outer scopes of this stamp guard all of its resources. */
    boolean isCovered() {
        return resources.stream()
                .allMatch(resource ->
                        current().stream().anyMatch(scope -> scope != this && scope.guards(resource, stamp)));
    }

    private boolean guards(String resource, FenceStamp ofStamp) {
        return stamp.equals(ofStamp) && resources.contains(resource);
    }

    /** Returns the resources that the thread's other scopes of this stamp have not claimed, and counts them as claimed from now on. */
    List<String> claimBy(Object claims) {
        claimer = claims;
        return resources.stream()
                .filter(resource -> current().stream()
                        .noneMatch(scope -> scope != this && scope.claimer == claims && scope.guards(resource, stamp)))
                .toList();
    }

    FenceStamp stamp() {
        return stamp;
    }

    /** In the order of their names. */
    List<String> resources() {
        return resources;
    }

    /**
     * Does nothing where the stamp came from elsewhere, without a lease.
     *
     * @throws io.fenceline.LeaseLostException if the lease is lost, though nobody else may have claimed its resources yet
     */
    void ensureHeld() {
        if (lease != null) {
            lease.ensureHeld();
        }
    }

    @Nullable
    Lease lease() {
        return lease;
    }

    /** Ends all scopes of a lease on this thread, which is to be released. */
    static void closeAllOf(Lease released) {
        List.copyOf(current()).stream().filter(scope -> scope.lease == released).forEach(FenceScope::close);
    }

    /** Ends the scope. The second call does nothing. */
    @Override
    public void close() {
        Deque<FenceScope> open = OPEN.get();
        if (open != null && open.remove(this) && open.isEmpty()) {
            OPEN.remove();
        }
    }
}
