package io.fenceline.hibernate;

import io.fenceline.FenceStamp;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.trigger.TriggerRefusals;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.hibernate.StatelessSession;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * Gives a session the fencing token under which it writes {@link Fenced} entities.
 *
 * <p>The token belongs to the session and ends with it: nothing is kept for the thread. Used by the session's thread only.
 *
 * <pre>{@code
 * Fencing.in(entityManager).by(lease.stamp());
 * }</pre>
 */
public final class Fencing {

    private final SharedSessionContractImplementor session;
    private final FenceGate gate;
    private final SessionFences fences;

    private Fencing(SharedSessionContractImplementor session) {
        this.session = session;
        this.gate = FenceGate.of(session.getFactory());
        this.fences = gate.fences(session);
    }

    /**
     * Returns the fencing of a session.
     *
     * @param manager a session of Hibernate, or a proxy that unwraps to one
     * @return its fencing
     * @throws IllegalStateException if its factory knows no fenced entity
     * @throws jakarta.persistence.PersistenceException if it is not Hibernate's
     */
    public static Fencing in(EntityManager manager) {
        return new Fencing(manager.unwrap(SharedSessionContractImplementor.class));
    }

    /**
     * Returns the fencing of a stateless session. It has no flush: each write takes its fence by itself, in the order of the
     * writes, so {@link #enter} the fences of several first.
     *
     * @param session the session
     * @return its fencing
     * @throws IllegalStateException if its factory knows no fenced entity
     */
    public static Fencing in(StatelessSession session) {
        return new Fencing((SharedSessionContractImplementor) session);
    }

    /**
     * Lets the session write under a stamp, from now on and until it is given another or ends.
     *
     * @param stamp of the lease that the writer holds
     * @return this
     */
    public Fencing by(FenceStamp stamp) {
        fences.bind(stamp);
        return this;
    }

    /**
     * Lets the session write one resource under a stamp of its own, for writers that hold several leases.
     *
     * @param resource its name, as {@link Fenced#resource} makes it
     * @param stamp of the lease for it
     * @return this
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link io.fenceline.ResourceName}
     */
    public Fencing by(String resource, FenceStamp stamp) {
        fences.bind(resource, stamp);
        return this;
    }

    /** Takes the session's stamps away. What it writes to fenced entities is refused from now on. */
    public void end() {
        fences.unbind();
    }

    /**
     * Takes rows of the fence table now and holds them until the transaction ends: what is read from the database after it stays
     * true until the commit, and holders with smaller tokens are refused from the commit on. Entities that the session has loaded
     * before, and those that come from a second-level or query cache, may be older: {@code refresh} them. Taken in the order of the names, so that
     * sessions that enter all they need at once cannot block each other; a session that flushes several times takes what
     * each flush needs, and can.
     *
     * <p>Entities with a {@link FenceColumn} are guarded likewise; {@link #enter(Class, Object)} raises the column too.
     *
     * @param resources the names
     * @return this
     * @throws StaleTokenException if a greater token was seen; the transaction is marked for rollback
     * @throws ForeignTokenException if a resource belongs to another lock key; the transaction is marked for rollback
     * @throws MissingTokenException if the session has no stamp
     * @throws IllegalStateException if no transaction is active
     * @throws org.hibernate.HibernateException if the database fails, as Hibernate tells it
     */
    public Fencing enter(String... resources) {
        fences.claim(session, List.of(resources));
        return this;
    }

    /**
     * Takes one entity's fence now and holds it until the transaction ends: in the fence table, and in the row's column if it has
     * one. What is read from the database after it stays true until the commit; what comes from a cache, or was loaded before, may
     * be older, as for {@link #enter(String...)}.
     *
     * @param type the entity's class
     * @param id its identifier; there need not be such a row
     * @return this
     * @throws RefusedWriteException as {@link #enter(String...)} does
     * @throws UnsupportedOperationException if the fence cannot be named by the identifier alone, or the entity has a {@link
     *     FenceColumn} and the rule {@link io.fenceline.guard.FenceRule#ONCE}: a column cannot tell this from the one write
     * @throws IllegalStateException if the entity is not fenced, or no transaction is active
     */
    public Fencing enter(Class<?> type, Object id) {
        gate.enter(session, type, id);
        return this;
    }

    /**
     * Runs statements of HQL, criteria or SQL that write to fenced tables, which are refused elsewhere. The fences named are
     * taken first. That they cover all rows that are changed is the caller's to know. The work uses no other session of the same
     * factory: what that one sends might be let through as well.
     *
     * <p>A {@link FenceColumn} is not asked and not raised: add the condition to the statement, and set the column. Triggers of the
     * tables see the stamp of the first resource, or the session's.
     *
     * @param <T> what the work returns
     * @param resources the names of the fences, may be empty
     * @param work executes the statements
     * @return what the work returned
     * @throws RefusedWriteException as {@link #enter} does
     */
    public <T> T bulk(Collection<String> resources, Supplier<T> work) {
        fences.beginBulk(session, resources);
        try {
            return gate.statements().admitting(work);
        } finally {
            fences.endBulk();
        }
    }

    /**
     * Finds the refusal in what a flush or commit has thrown. Hibernate passes it on as it is from a flush, and as the cause of
     * a {@link jakarta.persistence.RollbackException} from a commit. A refusal by a trigger of the table is found too.
     *
     * @param thrown what was caught
     * @return the refusal, if that is what it was
     */
    public static Optional<RefusedWriteException> refusal(@Nullable Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedWriteException refusal) {
                return Optional.of(refusal);
            }
        }
        return thrown == null ? Optional.empty() : TriggerRefusals.of(thrown);
    }
}
