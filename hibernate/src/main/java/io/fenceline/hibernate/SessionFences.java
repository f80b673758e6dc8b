package io.fenceline.hibernate;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedWriteException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.hibernate.SessionEventListener;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.TransactionCompletionCallbacks.AfterCompletionCallback;
import org.jspecify.annotations.Nullable;

/**
 * Stamps of one session, and the fences that its transaction has taken.
 *
 * <p>A flush collects the fences that it needs during dirty checking, and takes them together, in the order of their names, before
 * the first SQL of a fenced entity. So two sessions that write the same entities cannot deadlock. Each flush takes its fences again,
 * because a rollback to a savepoint in between releases them without notice.
 *
 * <p>Confined to the session's thread. It must not refer to the session, which would keep it alive.
 */
final class SessionFences implements SessionEventListener {

    private static final long serialVersionUID = 1L;

    private final transient SessionFenceTable table;
    private final transient Map<String, FenceStamp> stamps = new HashMap<>();
    private final transient TreeMap<String, FenceRule> wanted = new TreeMap<>();
    private final transient Set<String> taken = new HashSet<>();
    private final transient Set<String> written = new HashSet<>();
    private final transient Set<String> writtenColumns = new HashSet<>();
    private transient @Nullable FenceStamp stamp;

    /** The resource whose fence was just taken, for the row that is written next. */
    private transient @Nullable String next;

    /** The stamp set for triggers; null if the database may have lost it. */
    private transient @Nullable FenceStamp shown;

    private boolean flushing;
    private int bulk;

    SessionFences(SessionFenceTable table) {
        this.table = table;
    }

    void bind(FenceStamp wanted) {
        stamp = wanted;
    }

    void bind(String resource, FenceStamp wanted) {
        stamps.put(ResourceName.of(resource).value(), wanted);
    }

    void unbind() {
        stamp = null;
        stamps.clear();
    }

    /** Returns the stamp for a resource, or for a template if the row has no id yet. */
    FenceStamp stampFor(String resource) {
        FenceStamp own = stamps.getOrDefault(resource, stamp);
        if (own == null) {
            throw new MissingTokenException(
                    resource, "give the session the stamp of its lease with Fencing.in(session).by(lease.stamp())");
        }
        return own;
    }

    void beginFlush() {
        wanted.clear();
        taken.clear();
        shown = null;
        flushing = true;
    }

    void endFlush() {
        wanted.clear();
        taken.clear();
        flushing = false;
    }

    /** Records a fence that this flush needs. */
    void want(String resource, FenceRule rule) {
        wanted.merge(resource, rule, (one, other) -> one == FenceRule.ONCE ? one : other);
    }

    /**
     * Takes a fence together with all wanted ones, and sets its stamp for triggers, before the row is written.
     */
    void take(SharedSessionContractImplementor session, String resource, FenceRule rule) {
        if (!taken.contains(resource)) {
            want(resource, rule);
            takeWanted(session);
        }
        next = resource;
        showIfAnother(session, resource);
    }

    /**
     * Takes the fence of a row whose statement is prepared, unless done already. Executes a pending batch only if that is of another
     * stamp: this statement may be part of it.
     */
    void ensureTaken(SharedSessionContractImplementor session, String resource, FenceRule rule) {
        if (!resource.equals(next) && !taken.contains(resource)) {
            want(resource, rule);
            takeWanted(session);
        }
        next = null;
        showIfAnother(session, resource);
    }

    /**
     * Sets the stamp of a resource, or of a row without an id, for triggers. Outside of a flush it is always set again, since a
     * rollback to a savepoint may have cleared it.
     */
    void ensureShown(SharedSessionContractImplementor session, String resource) {
        if (!flushing) {
            shown = null;
        }
        showIfAnother(session, resource);
    }

    private void showIfAnother(SharedSessionContractImplementor session, String resource) {
        if (!stampFor(resource).equals(shown)) {
            show(session, stampFor(resource));
        }
    }

    private void show(SharedSessionContractImplementor session, FenceStamp writer) {
        session.getJdbcCoordinator().executeBatch(); // rows of another stamp
        session.doWork(connection -> table.show(connection, writer));
        shown = writer;
    }

    /**
     * Returns the greatest column value at which a write is admitted, and counts the write. Under {@link FenceRule#ONCE} the
     * grant's own token is not admitted, except in the transaction that wrote it.
     */
    long admittedUpTo(String resource, FenceRule rule) {
        long token = stampFor(resource).token().value();
        boolean repeated = !writtenColumns.add(resource);
        return rule == FenceRule.AT_LEAST || repeated ? token : token - 1;
    }

    private void takeWanted(SharedSessionContractImplementor session) {
        Map<String, FenceRule> now = new TreeMap<>(wanted);
        wanted.clear();
        now.keySet().forEach(this::stampFor); // throws for a missing stamp before any SQL
        if (!now.keySet().stream().allMatch(resource -> stampFor(resource).equals(shown))) {
            session.getJdbcCoordinator()
                    .executeBatch(); // rows of another stamp: the fence's statement may set this one for triggers
        }
        if (written.isEmpty()) { // a stateless session on another's connection learns of the end in no other way
            AfterCompletionCallback end = (successful, unused) -> transactionCompletion(successful);
            session.getTransactionCompletionCallbacks().registerCallback(end);
        }
        refusable(
                session,
                () -> session.doWork(connection -> {
                    for (Map.Entry<String, FenceRule> fence : now.entrySet()) {
                        String resource = fence.getKey();
                        // all writes of one transaction count as one
                        FenceRule due = written.contains(resource) ? FenceRule.AT_LEAST : fence.getValue();
                        table.enter(session, connection, resource, stampFor(resource), due);
                        written.add(resource);
                        shown = stampFor(resource); // on databases with triggers, the fence's statement has set it
                    }
                }));
        if (flushing) {
            taken.addAll(now.keySet());
        }
    }

    void claim(SharedSessionContractImplementor session, Iterable<String> resources) {
        Map<String, FenceStamp> now = new TreeMap<>();
        resources.forEach(resource -> {
            String name = ResourceName.of(resource).value();
            now.put(name, stampFor(name));
        });
        refusable(
                session,
                () -> session.doWork(connection -> {
                    for (Map.Entry<String, FenceStamp> fence : now.entrySet()) {
                        table.claim(session, connection, fence.getKey(), fence.getValue());
                    }
                }));
    }

    /** Runs an action, and marks the transaction for rollback if it is refused. */
    static void refusable(SharedSessionContractImplementor session, Runnable act) {
        if (!session.isTransactionInProgress()) {
            throw new IllegalStateException("fenced entities are written in a transaction, and none is active;"
                    + " begin one, so that the fence and the write are committed together");
        }
        try {
            act.run();
        } catch (RefusedWriteException refusal) {
            session.markForRollbackOnly();
            throw refusal;
        }
    }

    void beginBulk(SharedSessionContractImplementor session, Collection<String> resources) {
        claim(session, resources);
        FenceStamp writer = resources.isEmpty()
                ? stamp
                : stampFor(ResourceName.of(resources.iterator().next()).value());
        if (writer != null) {
            show(session, writer);
        }
        bulk++;
    }

    void endBulk() {
        bulk--;
    }

    boolean allowsBulk() {
        return bulk > 0;
    }

    @Override
    public void transactionCompletion(boolean successful) {
        written.clear();
        writtenColumns.clear();
        shown = null;
        next = null;
        endFlush();
    }
}
