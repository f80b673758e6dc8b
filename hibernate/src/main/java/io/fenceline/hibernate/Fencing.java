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
 * Sets the fencing token under which a session writes {@link Fenced} entities.
 *
 * <p>The token belongs to the session and ends with it; there is no thread-local state. Use it on the session's thread only.
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
     * @throws IllegalStateException if its factory has no fenced entity
     * @throws jakarta.persistence.PersistenceException if it is not Hibernate's
     */
    public static Fencing in(EntityManager manager) {
        return new Fencing(manager.unwrap(SharedSessionContractImplementor.class));
    }

    /**
     * Returns the fencing of a stateless session. It has no flush: each write takes its own fence, in the order of the
     * writes. To write several, {@link #enter} their fences first.
     *
     * @param session the session, no proxy of it
     * @return its fencing
     * @throws IllegalArgumentException if it is a proxy
     * @throws IllegalStateException if its factory has no fenced entity
     */
    public static Fencing in(StatelessSession session) {
        if (session instanceof SharedSessionContractImplementor itself) {
            return new Fencing(itself);
        }
        throw new IllegalArgumentException(
                "this stateless session is a proxy, which does not tell what it stands for; give the session"
                        + " itself, in Spring that of SpringSessionContext.currentStatelessSession(factory)");
    }

    /**
     * Sets the stamp of the session, until it is replaced or the session ends.
     *
     * @param stamp of the lease that the writer holds
     * @return this
     */
    public Fencing by(FenceStamp stamp) {
        fences.bind(stamp);
        return this;
    }

    /**
     * Sets the stamp for one resource, for writers that hold several leases.
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

    /** Removes the session's stamps. Its writes to fenced entities are refused from now on. */
    public void end() {
        fences.unbind();
    }

    /**
     * Locks rows of the fence table until the transaction ends. Data read afterwards stays valid until the commit, and smaller
     * tokens are refused from the commit on. Entities that the session has loaded before, or that come from a second-level or query
     * cache, may be older: {@code refresh} them. On MariaDB and MySQL at REPEATABLE READ, their default, a transaction sees all tables as they
     * were when it first read anything, so enter before that. Rows are locked in the order of their names, so sessions that enter all resources at
     * once cannot deadlock; a session that flushes several times locks for each flush, and can.
     *
     * <p>This guards entities with a {@link FenceColumn} too; {@link #enter(Class, Object)} also raises the column.
     *
     * @param resources the names
     * @return this
     * @throws StaleTokenException if a greater token was seen; the transaction is marked for rollback
     * @throws ForeignTokenException if a resource belongs to another lock key; the transaction is marked for rollback
     * @throws MissingTokenException if the session has no stamp
     * @throws IllegalStateException if no transaction is active
     * @throws org.hibernate.HibernateException if the database fails, as Hibernate maps it
     */
    public Fencing enter(String... resources) {
        fences.claim(session, List.of(resources));
        return this;
    }

    /**
     * Locks one entity's fence until the transaction ends: in the fence table, and in the row's column if it has one. Data read
     * afterwards stays valid until the commit; entities from a cache, or loaded before, may be older, as for {@link
     * #enter(String...)}.
     *
     * @param type the entity's class
     * @param id its identifier, converted as {@code find} does; the row need not exist
     * @return this
     * @throws IllegalArgumentException if it is no identifier of the entity
     * @throws RefusedWriteException as {@link #enter(String...)} does
     * @throws UnsupportedOperationException if the fence cannot be named by the identifier alone, or the entity has a {@link
     *     FenceColumn} and the rule {@link io.fenceline.guard.FenceRule#ONCE}: a column cannot tell an entry from the one write
     * @throws IllegalStateException if the entity is not fenced, or no transaction is active
     */
    public Fencing enter(Class<?> type, Object id) {
        gate.enter(session, type, id);
        return this;
    }

    /**
     * Runs HQL, criteria or SQL statements that write to fenced tables, which are refused otherwise. Takes the named fences first;
     * the caller must ensure that they cover all changed rows. The work must use no other session of the same factory, whose
     * statements might be admitted as well.
     *
     * <p>A {@link FenceColumn} is neither checked nor raised: add the condition to the statement, and set the column. Triggers of the
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
     * Finds the refusal in an exception of a flush or commit. Hibernate throws it unchanged from a flush, and as the cause of a {@link jakarta.persistence.RollbackException} from a commit. A refusal by a trigger of the table is found too.
     *
     * @param thrown what was caught
     * @return the refusal, or empty for any other exception
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
