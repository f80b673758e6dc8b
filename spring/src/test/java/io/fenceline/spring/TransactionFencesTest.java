package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import io.fenceline.jdbc.trigger.TriggerRefusals;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Fences in transactions of all kinds, beside the contract of guards. */
class TransactionFencesTest extends FencedTransactions {

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
    void refusesTheTransactionInWhichAScopeWasOpened() {
        guard.claim(RESOURCE, NEW);

        assertThatThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult(status -> {
                    try (FenceScope scope = FenceScope.open(OLD, List.of(RESOURCE))) {
                        insert(scope.stamp().toString());
                    }
                }))
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

    /** The commit's own check shows the stamp too late for what the transaction writes by SQL of its own. */
    @Test
    void showsTheStampToTriggersWhereItEnters() {
        jdbc.execute((ConnectionCallback<?>)
                connection -> GuardedTables.install(connection, GuardedTable.of("texts", "name"), "fenceline_fences"));

        assertThatThrownBy(() -> inScope(NEW, status -> insert("a")))
                .matches(e -> TriggerRefusals.of(e)
                        .filter(MissingTokenException.class::isInstance)
                        .isPresent());
        inScope(NEW, status -> {
            fences.enter(RESOURCE);
            insert("b");
        });

        assertThat(texts()).containsExactly("b");
    }

    private static TransactionTemplate requiresNew(PlatformTransactionManager manager) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }
}
