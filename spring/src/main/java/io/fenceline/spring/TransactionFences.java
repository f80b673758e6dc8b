package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Refuses the commit of a transaction whose thread works under a superseded stamp: before each commit, the resources of the thread's
 * {@link FenceScope}s are entered in the transaction itself, as {@link JdbcFenceGuard#enter} does. If a newer holder has claimed or
 * written one of them, the commit throws the {@link RefusedWriteException} and the transaction is rolled back. Under a lease that
 * is lost the commit throws the {@link io.fenceline.LeaseLostException}.
 *
 * <p>For transactions of {@code JdbcTransactionManager}, {@code JpaTransactionManager} and others that work on one JDBC connection;
 * sessions of Hibernate with {@link io.fenceline.hibernate.Fenced} entities get the stamps as well. Under a scope, a commit that cannot be
 * guarded fails: that of a JTA transaction, or of a transaction on another {@code DataSource}. One of a message broker has nothing to
 * guard and passes: give what it sends the stamp. A read-only transaction is checked where the database lets it write. Reactive transactions commit on threads of their own and are not seen. Nor is what runs after a commit and joins the
 * completed transaction, as {@code @TransactionalEventListener} methods may: give it a transaction by {@code REQUIRES_NEW}.
 *
 * <p>At isolation levels with snapshots the database may report a newer claim as a conflict. The refusal is thrown then if the fence
 * confirms it, which takes a second connection; otherwise the conflict, as one of {@link org.springframework.dao}, and the whole locked
 * call may be repeated.
 *
 * <p>As a bean it adds itself to all transaction managers of the application; elsewhere call {@link #addTo}. Thread-safe.
 */
public final class TransactionFences
        implements TransactionExecutionListener, BeanFactoryAware, SmartInitializingSingleton {

    private static final boolean HIBERNATE =
            List.of("io.fenceline.hibernate.Fencing", "org.springframework.orm.jpa.EntityManagerHolder").stream()
                    .allMatch(name -> ClassUtils.isPresent(name, TransactionFences.class.getClassLoader()));

    private static final String JPA = "org.springframework.orm.jpa.JpaTransactionManager";

    /** The transactions of {@code JdbcTransactionManager} too. */
    private static final String PLAIN_JDBC = "org.springframework.jdbc.datasource.DataSourceTransactionManager";

    private final List<GuardedSource> guarded;
    private final OpenSessionWarning openSession = new OpenSessionWarning();
    private @Nullable BeanFactory beans;
    private volatile boolean added;

    private record GuardedSource(JdbcFenceGuard guard, DataSource source) {}

    /** Resources that a transaction has entered itself. Going back to a savepoint undoes that, and so do databases after a deadlock. */
    private record Entered(ConnectionHolder holder, FenceStamp stamp, List<String> resources)
            implements TransactionSynchronization {}

    private TransactionFences(List<GuardedSource> guarded) {
        this.guarded = guarded;
    }

    /**
     * Returns fences for the transactions on one data source.
     *
     * @param guard stores the fences, in the same database
     * @param source the data source of the transaction manager
     * @return the fences
     */
    public static TransactionFences of(JdbcFenceGuard guard, DataSource source) {
        return new TransactionFences(List.of()).and(guard, source);
    }

    /**
     * Returns fences for the transactions on another data source as well. Resources are claimed in each of the databases.
     *
     * @param guard stores the fences, in the same database
     * @param source the data source of another transaction manager
     * @return the fences
     */
    public TransactionFences and(JdbcFenceGuard guard, DataSource source) {
        List<GuardedSource> all = new ArrayList<>(guarded);
        all.add(new GuardedSource(requireNonNull(guard, "guard"), requireNonNull(source, "source")));
        return new TransactionFences(List.copyOf(all));
    }

    /**
     * Adds these fences to a transaction manager, once.
     *
     * @param manager the manager
     * @throws IllegalArgumentException if it takes no listeners, so that its transactions cannot be guarded
     */
    public void addTo(TransactionManager manager) {
        if (!(manager instanceof ConfigurableTransactionManager configurable)) {
            throw new IllegalArgumentException("the transactions of "
                    + manager.getClass().getName() + " cannot be guarded: it is no ConfigurableTransactionManager");
        }
        if (!configurable.getTransactionExecutionListeners().contains(this)) {
            configurable.addListener(this);
        }
    }

    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Also called by the first locked call, if it is made while singletons are created, or this bean is lazy and not told of them.
     *
     * @throws IllegalStateException if all managers are of brokers
     * @throws IllegalArgumentException if one takes no listeners
     */
    @Override
    public void afterSingletonsInstantiated() {
        if (beans instanceof ListableBeanFactory factory) {
            Map<String, TransactionManager> managers =
                    BeanFactoryUtils.beansOfTypeIncludingAncestors(factory, TransactionManager.class, false, true);
            BrokerManagers.ensureNotAll(managers);
            managers.values().forEach(this::addTo);
        }
        added = true;
    }

    /**
     * Enters resources in the current transaction at once, with the stamp in force: what the transaction reads from them afterwards
     * stays valid until it commits. As the first statement of a transaction it is what {@link Locked} does before the method, for
     * resources that are not known so early. An inner {@code REQUIRES_NEW} transaction under the same stamp then waits for this one, until the
     * database gives one of them up.
     *
     * @param resources the names
     * @throws RefusedWriteException if a newer holder has begun, or a resource belongs to another lock key; the transaction must be
     *     rolled back
     * @throws IllegalStateException if no stamp is in force, or the thread is in no transaction on a guarded data source
     * @throws org.springframework.dao.DataAccessException if the database fails
     */
    public void enter(String... resources) {
        FenceStamp stamp = CurrentLease.stamp();
        Map<String, Collection<FenceStamp>> entries = new TreeMap<>();
        for (String resource : resources) {
            entries.put(ResourceName.of(resource).value(), List.of(stamp));
        }
        for (GuardedSource candidate : guarded) {
            if (TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.getResource(candidate.source())
                            instanceof ConnectionHolder holder
                    && isCurrent(holder)) {
                TransactionSynchronizationManager.registerSynchronization(
                        new Entered(holder, stamp, List.copyOf(entries.keySet())));
                FenceEntries.enter(candidate.guard(), holder.getConnection(), entries);
                return;
            }
        }
        throw new IllegalStateException(
                "this thread is in no transaction on a guarded data source, or in one of another manager within that");
    }

    /**
     * Returns whether the current synchronizations tell the end of the transaction on a connection. One that began before this
     * listener was added is not known.
     */
    private static boolean isCurrent(ConnectionHolder holder) {
        ConnectionHolder current = OpenTransactions.current();
        return current == null ? !OpenTransactions.areUnobserved() : current == holder;
    }

    /** Claims a scope's resources before its work, and hands its stamp to sessions that are open. */
    void begin(FenceScope scope) {
        if (!added) {
            afterSingletonsInstantiated();
        }
        List<String> unclaimed = scope.claimBy(this);
        openSession.warn();
        guarded.forEach(database -> claim(database, unclaimed, scope.stamp()));
        if (HIBERNATE && CallerTransaction.isActive()) {
            SessionStamps.put();
        }
    }

    /** Claims on the transaction's own connection what that has entered: on another one the claim would wait for the row that it has locked. */
    private static void claim(GuardedSource database, List<String> resources, FenceStamp stamp) {
        List<String> others = new ArrayList<>(resources);
        if (TransactionSynchronizationManager.getResource(database.source()) instanceof ConnectionHolder holder) {
            Map<String, Collection<FenceStamp>> claims = enteredIn(holder);
            claims.keySet().retainAll(resources);
            claims.replaceAll((resource, stamps) -> List.of(stamp));
            if (!claims.isEmpty()) {
                FenceEntries.claim(database.guard(), holder.getConnection(), claims);
                others.removeAll(claims.keySet());
            }
        }
        database.guard().claimAll(others, stamp);
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        if (beginFailure != null) {
            return;
        }
        ConnectionHolder holder = connectionOf(transaction);
        if (holder != null && transaction.isNewTransaction()) {
            OpenTransactions.begun(holder, isOf(PLAIN_JDBC, transaction));
        }
        if (HIBERNATE && !FenceScope.current().isEmpty()) {
            SessionStamps.put();
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        beginCompletion(transaction);
        Collection<FenceScope> scopes = FenceScope.current();
        if (scopes.isEmpty()
                || !transaction.isNewTransaction()
                || isRolledBackByJpa(transaction)
                || BrokerManagers.NAMES.stream().anyMatch(manager -> isOf(manager, transaction))) {
            return;
        }
        Map<String, Collection<FenceStamp>> entries = new TreeMap<>();
        for (FenceScope scope : scopes) {
            add(entries, scope.resources(), scope.stamp());
        }
        ConnectionHolder holder = connectionOf(transaction);
        Map<String, Collection<FenceStamp>> entered = enteredIn(holder);
        if (entries.isEmpty() && entered.isEmpty()) {
            scopes.forEach(FenceScope::ensureHeld);
            return;
        }
        for (GuardedSource candidate : guarded) {
            if (holder != null && TransactionSynchronizationManager.getResource(candidate.source()) == holder) {
                JdbcFenceGuard guard = candidate.guard();
                FenceEntries.claim(guard, holder.getConnection(), entered);
                if (transaction.isReadOnly()) {
                    FenceEntries.enterUnlessReadOnly(guard, holder.getConnection(), entries);
                } else {
                    FenceEntries.enter(guard, holder.getConnection(), entries);
                }
                scopes.forEach(FenceScope::ensureHeld);
                return;
            }
        }
        // A TransactionException would not be answered with a rollback: managers take it for a failed commit.
        throw new IllegalStateException(
                "the transaction '" + transaction.getTransactionName() + "' cannot be guarded by the stamp of "
                        + entries.keySet() + ": it is not one on a guarded JDBC data source. Run it outside of locked"
                        + " and leader-only calls, or give TransactionFences a guard for its database");
    }

    /**
     * Returns whether the commit is going to be a rollback. The mark alone does not say so: one that a synchronization sets before the commit
     * comes too late for managers of JDBC, and so does the mark of a status, which the entity transaction does not see; both commit.
     */
    private static boolean isRolledBackByJpa(TransactionExecution transaction) {
        return transaction instanceof DefaultTransactionStatus status
                && status.isGlobalRollbackOnly()
                && isOf(JPA, transaction);
    }

    private static boolean isOf(String manager, TransactionExecution transaction) {
        return transaction instanceof DefaultTransactionStatus status
                && status.getTransaction().getClass().getName().startsWith(manager + '$');
    }

    /** Claimed once more, not written: what has been written may not be a second time under {@code FenceRule.ONCE}. */
    private static Map<String, Collection<FenceStamp>> enteredIn(@Nullable ConnectionHolder holder) {
        Map<String, Collection<FenceStamp>> found = new TreeMap<>();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof Entered entered && entered.holder() == holder) {
                    add(found, entered.resources(), entered.stamp());
                }
            }
        }
        return found;
    }

    private static void add(Map<String, Collection<FenceStamp>> entries, List<String> resources, FenceStamp stamp) {
        for (String resource : resources) {
            entries.computeIfAbsent(resource, name -> new LinkedHashSet<>()).add(stamp);
        }
    }

    private static @Nullable ConnectionHolder connectionOf(TransactionExecution transaction) {
        return transaction instanceof DefaultTransactionStatus status
                        && status.hasTransaction() // listeners are told of a rollback without one, too
                        && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                        && jdbc.hasConnectionHolder()
                ? jdbc.getConnectionHolder()
                : null;
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        beginCompletion(transaction);
    }

    private static void beginCompletion(TransactionExecution transaction) {
        ConnectionHolder holder = connectionOf(transaction);
        if (holder != null && transaction.isNewTransaction()) {
            OpenTransactions.completing(holder);
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
        endCompletion(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        endCompletion(transaction);
    }

    private static void endCompletion(TransactionExecution transaction) {
        ConnectionHolder holder = connectionOf(transaction);
        if (holder != null && transaction.isNewTransaction()) {
            OpenTransactions.ended(holder);
        }
        if (HIBERNATE && transaction.isNewTransaction() && !FenceScope.current().isEmpty()) {
            SessionStamps.end();
        }
    }
}
