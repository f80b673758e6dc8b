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
import org.jspecify.annotations.Nullable;

/**
 * The stamps that one session was given, and the fences that its transaction has taken.
 *
 * <p>In a flush, the fences that it needs are gathered while Hibernate looks for changes, and taken together, in the order of
 * their names, before the first SQL of a fenced entity; so two sessions that write the same entities cannot block each other.
 * They are taken anew in each flush, because a rollback to a savepoint in between, of which nothing is told here, gives them
 * back.
 *
 * <p>Used by the session's thread only. It refers to the session nowhere, which would keep it alive.
 */
final class SessionFences implements SessionEventListener {

    private static final long serialVersionUID = 1L;

    private final transient FenceTable table;
    private final transient Map<String, FenceStamp> stamps = new HashMap<>();
    private final transient TreeMap<String, FenceRule> wanted = new TreeMap<>();
    private final transient Set<String> taken = new HashSet<>();
    private final transient Set<String> written = new HashSet<>();
    private final transient Set<String> writtenColumns = new HashSet<>();
    private transient @Nullable FenceStamp stamp;

    /** The resource of the row that is written next, as its fence was just taken. */
    private transient @Nullable String next;

    /** The stamp that triggers see; none if they may have lost it. */
    private transient @Nullable FenceStamp shown;

    private boolean flushing;
    private int bulk;

    SessionFences(FenceTable table) {
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

    /** Returns the stamp for a resource. One that is yet unnamed, as its row has no identifier, goes by its template. */
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

    /** Notes a fence that this flush will need. */
    void want(String resource, FenceRule rule) {
        wanted.merge(resource, rule, (one, other) -> one == FenceRule.ONCE ? one : other);
    }

    /**
     * Takes a fence now, and with it all that are wanted, and shows its stamp to the triggers of the tables: for the row that is
     * written next.
     */
    void take(SharedSessionContractImplementor session, String resource, FenceRule rule) {
        if (!stampFor(resource).equals(shown)) {
            session.getJdbcCoordinator().executeBatch(); // of rows under another stamp, before the fence shows this one
        }
        if (!taken.contains(resource)) {
            want(resource, rule);
            takeWanted(session);
        }
        next = resource;
        showIfAnother(session, resource);
    }

    /**
     * Takes the fence of a row whose statement is prepared, unless that was done. Nothing else that waits in a batch is executed
     * now: this statement may be part of it.
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
     * Shows the stamp for a resource, or for what has its name only when it is inserted, to the triggers. Outside a flush the program
     * may have rolled back to a savepoint, and the database has then forgotten the stamp.
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
        session.doWork(connection -> table.show(connection, writer));
        shown = writer;
    }

    /**
     * Returns up to which fence in a row's column a write is admitted, and counts it as made. A grant that writes once is stopped
     * by its own token too, except in the transaction in which it writes.
     */
    long admittedUpTo(String resource, FenceRule rule) {
        long token = stampFor(resource).token().value();
        boolean repeated = !writtenColumns.add(resource);
        return rule == FenceRule.AT_LEAST || repeated ? token : token - 1;
    }

    private void takeWanted(SharedSessionContractImplementor session) {
        Map<String, FenceRule> now = new TreeMap<>(wanted);
        wanted.clear();
        now.keySet().forEach(this::stampFor); // a missing one is told of before any SQL
        refusable(
                session,
                () -> session.doWork(connection -> {
                    for (Map.Entry<String, FenceRule> fence : now.entrySet()) {
                        String resource = fence.getKey();
                        // all writes of one transaction are one write
                        FenceRule due = written.contains(resource) ? FenceRule.AT_LEAST : fence.getValue();
                        table.enter(connection, resource, stampFor(resource), due);
                        written.add(resource);
                        shown = stampFor(resource); // as far as there are triggers, the fence's statement has shown it
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
                        table.claim(connection, fence.getKey(), fence.getValue());
                    }
                }));
    }

    /** Runs what may be refused. Nothing of a transaction with a refused write is kept. */
    static void refusable(SharedSessionContractImplementor session, Runnable act) {
        if (!session.isTransactionInProgress()) {
            throw new IllegalStateException("fenced entities are written in a transaction, and none is active;"
                    + " begin one, so that the fence and the write are kept together or not at all");
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
