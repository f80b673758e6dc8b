package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Fences in transactions of all kinds, beside the contract of guards. */
class TransactionFencesTest {

    private static final String RESOURCE = "invoice:42";
    private static final FenceStamp OLD = stamp(33);
    private static final FenceStamp NEW = stamp(34);

    private HikariDataSource source;
    private JdbcTemplate jdbc;
    private JdbcFenceGuard guard;
    private JdbcTransactionManager manager;
    private TransactionFences fences;

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        open(TestDatabase.POSTGRESQL, "TRANSACTION_READ_COMMITTED", FenceRule.AT_LEAST);
    }

    private void open(TestDatabase database, String isolation, FenceRule rule) {
        close();
        source = TestDatabase.pool(database.newGuardedUrl(), isolation);
        jdbc = new JdbcTemplate(source);
        guard = JdbcFenceGuard.on(source, GuardOptions.defaults().withRule(rule));
        manager = new JdbcTransactionManager(source);
        fences = TransactionFences.of(guard, source);
        fences.addTo(manager);
    }

    @AfterEach
    void close() {
        if (source != null) {
            source.close();
        }
    }

    @Test
    void guardsAnInnerTransactionOfItsOwn() {
        guard.claim(RESOURCE, NEW);

        inScope(OLD, outer -> {
            insert("outer");
            assertThatThrownBy(() -> requiresNew(manager).executeWithoutResult(inner -> insert("inner")))
                    .isInstanceOf(StaleTokenException.class);
            outer.setRollbackOnly();
        });

        assertThat(texts()).isEmpty();
    }

    @Test
    void letsAnInnerTransactionCommitBeforeTheOuterOne() {
        inScope(NEW, outer -> {
            insert("outer");
            requiresNew(manager).executeWithoutResult(inner -> insert("inner"));
        });

        assertThat(texts()).containsExactlyInAnyOrder("outer", "inner");
    }

    @Test
    void writesOnceInATransactionWithSavepoints() {
        open(TestDatabase.POSTGRESQL, "TRANSACTION_READ_COMMITTED", FenceRule.ONCE);
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        inScope(NEW, outer -> {
            nested.executeWithoutResult(inner -> insert("first"));
            nested.executeWithoutResult(inner -> insert("second"));
        });

        assertThat(texts()).hasSize(2);
    }

    /** Managers of JDBC commit a transaction that is marked only by what runs before its commit. */
    @Test
    void guardsATransactionThatIsMarkedForRollbackWhileItCommits() {
        guard.claim(RESOURCE, NEW);

        assertThatThrownBy(() -> inScope(OLD, status -> {
                    insert("a");
                    beforeCommit(status::setRollbackOnly);
                }))
                .isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> inScope(OLD, status -> {
                    insert("b");
                    beforeCommit(() -> new TransactionTemplate(manager)
                            .executeWithoutResult(joining -> joining.setRollbackOnly()));
                }))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    private static void beforeCommit(Runnable task) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                task.run();
            }
        });
    }

    @Test
    void guardsWithoutSynchronizations() {
        guard.claim(RESOURCE, NEW);
        manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);

        assertThatThrownBy(() -> inScope(OLD, status -> insert("a"))).isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void entersTheResourcesOfAllScopes() {
        guard.claim("outer", NEW);

        assertThatThrownBy(() -> {
                    try (FenceScope outer = FenceScope.open(OLD, List.of("outer"));
                            FenceScope inner = FenceScope.open(NEW, List.of(RESOURCE))) {
                        assertThat(CurrentLease.stamp()).isEqualTo(inner.stamp());
                        assertThat(FenceScope.current()).containsExactly(inner, outer);
                        new TransactionTemplate(manager).executeWithoutResult(status -> insert("a"));
                    }
                })
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
        assertThat(FenceScope.current()).isEmpty();
    }

    @Test
    void guardsNothingOutsideOfScopes() {
        guard.claim(RESOURCE, NEW);

        new TransactionTemplate(manager).executeWithoutResult(status -> insert("a"));

        assertThat(texts()).containsExactly("a");
        assertThatThrownBy(() -> fences.enter(RESOURCE)).hasMessageContaining("no stamp is in force");
    }

    @Test
    void entersAtOnceWhenAsked() {
        inScope(NEW, status -> {
            fences.enter("other");
            insert("a");
        });

        assertThat(guard.highest("other")).contains(NEW);
        assertThatThrownBy(() -> inScope(OLD, List.of(), status -> fences.enter(RESOURCE, "other")))
                .isInstanceOf(StaleTokenException.class);
        try (FenceScope scope = FenceScope.open(NEW, List.of())) {
            assertThat(scope.resources()).isEmpty();
            assertThatThrownBy(() -> fences.enter(RESOURCE)).hasMessageContaining("in no transaction");
        }
    }

    @Test
    void refusesAResourceOfAnotherLock() {
        guard.claim(RESOURCE, new FenceStamp(LockKey.of("another"), FencingToken.of(1)));

        assertThatThrownBy(() -> inScope(NEW, status -> insert("a"))).isInstanceOf(ForeignTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void tellsAConflictOfTheSameHolderFromANewerHolder() {
        open(TestDatabase.POSTGRESQL, "TRANSACTION_REPEATABLE_READ", FenceRule.AT_LEAST);

        assertThatThrownBy(() -> inScope(OLD, status -> {
                    insert("a");
                    guard.claim(RESOURCE, OLD);
                }))
                .isInstanceOf(ConcurrencyFailureException.class);
        assertThatThrownBy(() -> inScope(OLD, status -> {
                    insert("a");
                    guard.claim(RESOURCE, NEW);
                }))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void letsATransactionReadThatCannotWrite() {
        guard.claim(RESOURCE, NEW);

        inScope(
                readOnly(),
                OLD,
                List.of(RESOURCE),
                status -> jdbc.queryForObject("select set_config('fenceline.read', 'yes', false)", String.class));
        assertThat(jdbc.queryForObject("select current_setting('fenceline.read')", String.class)) // it has committed
                .isEqualTo("yes");

        assertThatThrownBy(() -> inScope(readOnly(), OLD, List.of(RESOURCE), status -> insert("a")))
                .hasMessageContaining("read-only");
    }

    @Test
    void checksADatabaseThatIgnoresTheWishToBeReadOnly() {
        open(TestDatabase.H2, "TRANSACTION_READ_COMMITTED", FenceRule.AT_LEAST);
        guard.claim(RESOURCE, NEW);

        assertThatThrownBy(() -> inScope(readOnly(), OLD, List.of(RESOURCE), status -> insert("a")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void writesNothingInAReadOnlyTransactionOnMariadb() {
        open(TestDatabase.MARIADB, "TRANSACTION_REPEATABLE_READ", FenceRule.AT_LEAST);
        guard.claim(RESOURCE, NEW);

        assertThatThrownBy(() -> inScope(readOnly(), OLD, List.of(RESOURCE), status -> insert("a")))
                .isInstanceOfAny(StaleTokenException.class, DataAccessException.class);
        assertThat(texts()).isEmpty();
    }

    /** A replica refuses writes by another error than a read-only transaction. */
    @Test
    void letsATransactionReadFromAReplicaOfMariadb() {
        open(TestDatabase.MARIADB, "TRANSACTION_REPEATABLE_READ", FenceRule.AT_LEAST);
        jdbc.execute("create or replace user reader@'%' identified by 'reader'");
        jdbc.execute("grant select, insert, update on *.* to reader@'%'");
        String url = source.getJdbcUrl().replace("user=root", "user=reader&password=reader");
        try (HikariDataSource replica = TestDatabase.pool(url, "TRANSACTION_REPEATABLE_READ")) {
            manager = new JdbcTransactionManager(replica);
            TransactionFences.of(guard, replica).addTo(manager);

            jdbc.execute("set global read_only = 1"); // not for the superuser of the other tests
            inScope(
                    readOnly(),
                    OLD,
                    List.of(RESOURCE),
                    status -> assertThat(new JdbcTemplate(replica).queryForList("select name from texts"))
                            .isEmpty());
        } finally {
            jdbc.execute("set global read_only = 0");
        }
    }

    @Test
    void failsATransactionOnAnotherDatabase() {
        try (HikariDataSource other =
                TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED")) {
            JdbcTransactionManager another = new JdbcTransactionManager(other);
            fences.addTo(another);
            TransactionTemplate onOther = new TransactionTemplate(another);
            JdbcTemplate otherJdbc = new JdbcTemplate(other);

            inScope(
                    NEW,
                    status -> assertThatThrownBy(() -> onOther.executeWithoutResult(
                                    inner -> otherJdbc.update("insert into texts (name) values ('a')")))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("cannot be guarded by the stamp of [invoice:42]"));
            assertThat(otherJdbc.queryForObject("select count(*) from texts", Integer.class))
                    .isZero();
        }
    }

    @Test
    void guardsTwoDatabases() {
        try (HikariDataSource other =
                TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED")) {
            JdbcFenceGuard otherGuard = JdbcFenceGuard.on(other);
            JdbcTransactionManager another = new JdbcTransactionManager(other);
            fences.and(otherGuard, other).addTo(another);
            otherGuard.claim(RESOURCE, NEW);
            JdbcTemplate otherJdbc = new JdbcTemplate(other);

            assertThatThrownBy(() -> {
                        try (FenceScope scope = FenceScope.open(OLD, List.of(RESOURCE))) {
                            assertThat(scope.stamp()).isEqualTo(OLD);
                            new TransactionTemplate(another)
                                    .executeWithoutResult(
                                            inner -> otherJdbc.update("insert into texts (name) values ('a')"));
                        }
                    })
                    .isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    void failsAJtaTransaction() {
        arjPropertyManager.getObjectStoreEnvironmentBean().setObjectStoreDir(folder.toString());
        JtaTransactionManager jta = new JtaTransactionManager(
                com.arjuna.ats.jta.UserTransaction.userTransaction(),
                com.arjuna.ats.jta.TransactionManager.transactionManager());
        jta.afterPropertiesSet();
        fences.addTo(jta);

        assertThatThrownBy(() -> inScope(new TransactionTemplate(jta), NEW, List.of(RESOURCE), status -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be guarded");
        new TransactionTemplate(jta).executeWithoutResult(status -> {});
    }

    @Test
    void refusesAManagerThatTakesNoListeners() {
        assertThatThrownBy(() -> fences.addTo(new PlatformTransactionManager() {
                    @Override
                    public TransactionStatus getTransaction(TransactionDefinition definition) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public void commit(TransactionStatus status) {}

                    @Override
                    public void rollback(TransactionStatus status) {}
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be guarded");
        fences.addTo(manager);
        assertThat(manager.getTransactionExecutionListeners()).containsExactly(fences);
    }

    private void inScope(FenceStamp stamp, Consumer<TransactionStatus> work) {
        inScope(stamp, List.of(RESOURCE), work);
    }

    private void inScope(FenceStamp stamp, List<String> resources, Consumer<TransactionStatus> work) {
        inScope(new TransactionTemplate(manager), stamp, resources, work);
    }

    @SuppressWarnings("try") // the scope is in force, and not used
    private static void inScope(
            TransactionTemplate transactions,
            FenceStamp stamp,
            List<String> resources,
            Consumer<TransactionStatus> work) {
        try (FenceScope scope = FenceScope.open(stamp, resources)) {
            transactions.executeWithoutResult(work);
        }
    }

    private TransactionTemplate readOnly() {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setReadOnly(true);
        return template;
    }

    private static TransactionTemplate requiresNew(PlatformTransactionManager manager) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }

    private void insert(String name) {
        jdbc.update("insert into texts (name) values (?)", name);
    }

    private List<String> texts() {
        return jdbc.queryForList("select name from texts", String.class);
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }
}
