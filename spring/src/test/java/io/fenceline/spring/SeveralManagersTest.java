package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Locked calls in a transaction of one manager within a transaction of another one. Spring suspends the outer one's synchronizations, and not its
 * connection.
 */
class SeveralManagersTest extends LockedTransactions {

    private final HikariDataSource otherSource =
            TestDatabase.pool(TestDatabase.POSTGRESQL.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
    private final JdbcTransactionManager otherManager = new JdbcTransactionManager(otherSource);
    private final TransactionTemplate others = new TransactionTemplate(otherManager);
    private final TransactionFences both = fences.and(JdbcFenceGuard.on(otherSource), otherSource);
    private final LockTemplate locked = LockTemplate.of(locks).withFences(both);

    SeveralManagersTest() {
        manager.setTransactionExecutionListeners(List.of(both));
        both.addTo(otherManager);
    }

    @AfterEach
    void closeOther() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(FenceScope.current()).isEmpty();
        otherSource.close();
    }

    @ParameterizedTest
    @EnumSource
    void refusesALockThatWouldEndBeforeTheOuterTransaction(InTransaction treatment) {
        LockTemplate treated = locked.withInTransaction(treatment);

        assertRefused(() -> transactions.executeWithoutResult(
                outer -> others.executeWithoutResult(inner -> lockAndInsert(treated))));
        assertRefused(() -> transactions.executeWithoutResult(outer ->
                others.executeWithoutResult(inner -> with(otherManager, TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(none -> lockAndInsert(treated)))));

        assertThat(texts()).isEmpty();
        assertThat(locks.lookup("job")).isEmpty();
    }

    @Test
    void refusesAJoinedCallWithFurtherResourcesThere() throws Exception {
        locked.run(
                "job",
                lease -> assertRefused(() -> transactions.executeWithoutResult(outer ->
                        others.executeWithoutResult(inner -> call(locked, "job", "ledger", () -> insert("stale"))))));

        assertThat(texts()).isEmpty();
    }

    @Test
    void guardsBothTransactionsOfAJoinedCall() throws Exception {
        locked.run(
                "job",
                lease -> transactions.executeWithoutResult(
                        outer -> others.executeWithoutResult(inner -> lockAndInsert(locked))));
        assertThat(texts()).containsExactly("new");
        jdbc.update("delete from texts");

        assertThatThrownBy(() -> locked.run(
                        "job",
                        lease -> transactions.executeWithoutResult(outer -> {
                            others.executeWithoutResult(inner -> lockAndInsert(locked));
                            guard.claim("job", newerThan(lease));
                        })))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void claimsInTheDatabaseOfTheJoinedCallToo() throws Exception {
        JdbcFenceGuard otherGuard = JdbcFenceGuard.on(otherSource);
        LockTemplate ofOther = LockTemplate.of(locks).withFences(TransactionFences.of(otherGuard, otherSource));

        template.run(
                "job",
                lease -> call(
                        ofOther,
                        "job",
                        "job",
                        () -> assertThat(otherGuard.highest("job")).contains(lease.stamp())));
    }

    @Test
    void refusesACallInTheCompletionOfTheOuterTransaction() {
        assertThatThrownBy(() -> transactions.executeWithoutResult(outer ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                with(otherManager, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                        .executeWithoutResult(inner -> with(
                                                        otherManager, TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                                                .executeWithoutResult(none -> lockAndInsert(locked)));
                            }
                        })))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("within the completion of a transaction");

        assertThat(texts()).isEmpty();
    }

    @Test
    void locksWhereTheOuterTransactionIsSuspended() {
        transactions.executeWithoutResult(outer -> with(manager, TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                .executeWithoutResult(none -> {
                    call(
                            locked,
                            "job",
                            "job",
                            () -> others.executeWithoutResult(
                                    inner -> transactions.executeWithoutResult(own -> insert("new"))));
                    assertThat(locks.lookup("job")).isEmpty();
                }));

        assertThat(texts()).containsExactly("new");
    }

    @Test
    void entersOnlyInTheInnermostTransaction() throws Exception {
        locked.run(
                "job",
                lease -> transactions.executeWithoutResult(outer -> {
                    others.executeWithoutResult(inner -> both.enter("ledger"));
                    assertThat(guard.highest("ledger")).isEmpty();
                }));

        assertThat(JdbcFenceGuard.on(otherSource).highest("ledger")).isPresent();
        manager.setTransactionExecutionListeners(List.of(fences));
        otherManager.setTransactionExecutionListeners(List.of(fences));
        template.run(
                "job",
                lease -> assertThatThrownBy(() -> transactions.executeWithoutResult(
                                outer -> others.executeWithoutResult(inner -> fences.enter("ledger"))))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("in no transaction on a guarded data source"));
    }

    /** Spring would neither commit nor roll back, and its reset of the connection commit. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rollsBackWhereACallbackBeforeTheCommitPreventsIt(boolean unexpectedRollback) throws Exception {
        TransactionException failure = unexpectedRollback
                ? new UnexpectedRollbackException("an inner transaction")
                : new CannotCreateTransactionException("no connection");
        TransactionSynchronization failing = failing(failure);

        locked.run(
                "job",
                lease -> assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                            insert("stale");
                            guard.claim("job", newerThan(lease));
                            TransactionSynchronizationManager.registerSynchronization(failing);
                        }))
                        .isSameAs(failure));

        assertThat(texts()).isEmpty();
    }

    private static TransactionSynchronization failing(RuntimeException failure) {
        return new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw failure;
            }
        };
    }

    /** The manager has called our listener by then, and its reset of the connection would commit. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rollsBackWhereAListenerBehindOursPreventsTheEnd(boolean atCommit) throws Exception {
        IllegalStateException bodyFailed = new IllegalStateException("body");
        CannotCreateTransactionException listenerFailed = new CannotCreateTransactionException("no connection");
        manager.setTransactionExecutionListeners(List.of(both, failingListener(listenerFailed)));

        for (int i = 0; i < 3; i++) {
            locked.run(
                    "job",
                    lease -> assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                                insert("stale");
                                if (!atCommit) {
                                    guard.claim("job", newerThan(lease));
                                    throw bodyFailed;
                                }
                            }))
                            .isSameAs(listenerFailed));
        }

        assertThat(texts()).isEmpty();
        assertThat((List<?>) TransactionSynchronizationManager.getResource(OpenTransactions.class))
                .hasSize(1);
        manager.setTransactionExecutionListeners(List.of(both));
        transactions.executeWithoutResult(status -> insert("new"));
        assertThat(texts()).containsExactly("new");
    }

    private static TransactionExecutionListener failingListener(TransactionException failure) {
        return new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                throw failure;
            }

            @Override
            public void beforeRollback(TransactionExecution transaction) {
                throw failure;
            }
        };
    }

    @Test
    void leavesTheFailureOfACallbackAsItIsWhereThereIsNoTransaction() {
        CannotCreateTransactionException failure = new CannotCreateTransactionException("no connection");
        IllegalStateException other = new IllegalStateException("a callback");

        for (RuntimeException each : List.of(failure, other)) {
            assertThatThrownBy(() -> with(manager, TransactionDefinition.PROPAGATION_SUPPORTS)
                            .executeWithoutResult(
                                    status -> TransactionSynchronizationManager.registerSynchronization(failing(each))))
                    .isSameAs(each);
        }
    }

    @Test
    void rollsBackNothingOfAnotherTransaction() {
        transactions.executeWithoutResult(outer -> {
            insert("a");
            assertThatThrownBy(() -> others.executeWithoutResult(inner -> {
                        with(manager, TransactionDefinition.PROPAGATION_NESTED)
                                .executeWithoutResult(savepoint -> insert("b"));
                        TransactionSynchronizationManager.registerSynchronization(
                                failing(new CannotCreateTransactionException("no connection")));
                    }))
                    .isInstanceOf(CannotCreateTransactionException.class);
            insert("c");
        });

        assertThat(texts()).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void entersNothingInASavepointWithinTheInnerTransaction() throws Exception {
        locked.run(
                "job",
                lease -> transactions.executeWithoutResult(outer ->
                        others.executeWithoutResult(inner -> with(manager, TransactionDefinition.PROPAGATION_NESTED)
                                .executeWithoutResult(savepoint -> {
                                    both.enter("ledger");
                                    assertThat(guard.highest("ledger")).isEmpty();
                                }))));

        assertThat(JdbcFenceGuard.on(otherSource).highest("ledger")).isPresent();
    }

    private void lockAndInsert(LockTemplate template) {
        call(template, "job", "job", () -> insert("new"));
    }

    private static void assertRefused(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("within a transaction of another manager than the current one");
    }

    private static TransactionTemplate with(JdbcTransactionManager manager, int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private static FenceStamp newerThan(Lease lease) {
        return new FenceStamp(lease.key(), FencingToken.of(lease.token().value() + 1));
    }
}
