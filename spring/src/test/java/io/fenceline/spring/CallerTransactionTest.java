package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locked calls and entered resources in a transaction that ends after them. */
class CallerTransactionTest extends LockedTransactions {

    @Test
    void commitsWhatAJoinedCallHasWrittenOnlyIfItsResourcesAreCurrent() {
        assertThatThrownBy(() -> template.run(
                        "job",
                        lease -> transactions.executeWithoutResult(status -> {
                            call(template, "job", "ledger", () -> insert("a"));
                            guard.claim("ledger", newerThan(lease));
                        })))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("ledger");
        assertThat(texts()).isEmpty();
        assertThat(FenceScope.current()).isEmpty();
    }

    @Test
    void keepsTheInnermostLeaseCurrentAfterAJoinedCall() throws Exception {
        template.run(
                "outer",
                outer -> template.run(
                        "inner",
                        inner -> transactions.executeWithoutResult(status -> {
                            call(
                                    template,
                                    "outer",
                                    "ledger",
                                    () -> assertThat(CurrentLease.required()).isSameAs(outer));
                            assertThat(CurrentLease.required()).isSameAs(inner);
                        })));

        assertThat(guard.highest("ledger")).isPresent();
    }

    /** A second claim would wait, on a connection of its own, for the row that the transaction has locked. */
    @Test
    void claimsNothingTwice() throws Exception {
        template.run(
                "job",
                lease -> transactions.executeWithoutResult(status -> {
                    fences.enter("job");
                    call(template, "job", "job", () -> insert("a"));
                }));

        assertThat(texts()).containsExactly("a");
    }

    /** So would the claim of what the transaction has entered and the thread's scopes have not claimed. */
    @Test
    void claimsFurtherResourcesThatTheTransactionHasEntered() throws Exception {
        template.run(
                "job",
                lease -> transactions.executeWithoutResult(status -> {
                    fences.enter("ledger");
                    call(template, "job", "ledger", () -> insert("a"));
                    call(template, "job", "stock", () -> fences.enter("stock"));
                    call(template, "job", "stock", () -> insert("b"));
                }));

        assertThat(texts()).containsExactly("a", "b");
        assertThat(guard.highest("stock")).isEqualTo(guard.highest("ledger")).isPresent();
    }

    @Test
    void commitsWhereAManagerHasFencesTwice() {
        TransactionFences.of(guard, source).addTo(manager);

        call(template, "job", "job", () -> transactions.executeWithoutResult(status -> insert("a")));

        assertThat(texts()).containsExactly("a");
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void keepsALockThatIsTakenAfterANestedTransaction() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        transactions.executeWithoutResult(status -> {
            nested.executeWithoutResult(inner -> insert("a"));
            call(keeping, "job", "job", () -> insert("b"));
        });

        assertThat(texts()).containsExactly("a", "b");
    }

    /** Its manager only binds the connection, and would commit after the call. */
    @ParameterizedTest
    @EnumSource
    void refusesACallInATransactionWithoutSynchronizations(InTransaction treatment) {
        manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);

        assertThatThrownBy(() -> transactions.executeWithoutResult(
                        status -> call(template.withInTransaction(treatment), "job", "job", () -> insert("a"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("whose manager makes no synchronizations");
        assertThat(texts()).isEmpty();
        call(template, "job", "job", () -> transactions.executeWithoutResult(status -> insert("b")));
        assertThat(texts()).containsExactly("b");
    }

    /** It joins the lease; its resources would be forgotten when it returns, before the commit. */
    @Test
    void refusesAJoinedCallWithFurtherResourcesThere() {
        manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);

        call(
                template,
                "job",
                "job",
                () -> transactions.executeWithoutResult(status -> {
                    call(template, "job", "job", () -> insert("a"));
                    assertThatThrownBy(() -> call(template, "job", "ledger", () -> insert("b")))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("a call that guards [ledger]");
                }));

        assertThat(texts()).containsExactly("a");
    }

    /** A thread of a pool would guard, and refuse, later transactions by its stamp. */
    @Test
    void leavesNothingOfAScopeThatWasRefused() {
        manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);

        transactions.executeWithoutResult(
                status -> assertThatThrownBy(() -> FenceScope.open(stamp(33), List.of("ledger")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("a call that guards [ledger]"));

        assertThat(FenceScope.current()).isEmpty();
    }

    /** A scope of synchronizations without a transaction keeps a connection for itself, on which each statement commits. */
    @Test
    void locksWhereAConnectionIsBoundWithoutATransaction() {
        TransactionTemplate none = new TransactionTemplate(manager);
        none.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);

        none.executeWithoutResult(status -> {
            assertThat(texts()).isEmpty();
            assertThat(TransactionSynchronizationManager.hasResource(source)).isTrue();
            call(template, "job", "job", () -> transactions.executeWithoutResult(inner -> insert("a")));
        });

        assertThat(texts()).containsExactly("a");
    }

    /** The lease is kept, so another attempt must not wait for it. */
    @Test
    void joinsAKeptLeaseWhoseFirstCallWasRefused() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);
        guard.claim("ledger", stamp(1));

        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    assertThatThrownBy(() -> call(keeping, "job", "ledger", () -> insert("a")))
                            .isInstanceOf(ForeignTokenException.class);
                    call(keeping, "job", "job", () -> insert("b"));
                }))
                .isInstanceOf(ForeignTokenException.class);

        assertThat(texts()).isEmpty();
        assertThat(locks.lookup("job")).isEmpty();
    }

    @Test
    void entersAgainWhatWasUndoneByASavepoint() {
        assertThatThrownBy(() -> withStamp(() -> transactions.executeWithoutResult(status -> {
                    Object before = status.createSavepoint();
                    fences.enter("ledger");
                    status.rollbackToSavepoint(before);
                    guard.claim("ledger", stamp(34));
                    insert("a");
                })))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void entersOnceUnderTheRuleThatSaysSo() {
        JdbcTransactionManager once = new JdbcTransactionManager(source);
        TransactionFences onceOnly = TransactionFences.of(
                JdbcFenceGuard.on(source, GuardOptions.defaults().withRule(FenceRule.ONCE)), source);
        onceOnly.addTo(once);
        Runnable write = () -> new TransactionTemplate(once).executeWithoutResult(status -> onceOnly.enter("ledger"));

        withStamp(write);

        assertThatThrownBy(() -> withStamp(write)).isInstanceOf(StaleTokenException.class);
    }

    @SuppressWarnings("try") // the scope is in force, and not used
    private static void withStamp(Runnable work) {
        try (FenceScope scope = FenceScope.open(stamp(33), List.of())) {
            work.run();
        }
    }

    private static FenceStamp newerThan(Lease lease) {
        return new FenceStamp(lease.key(), FencingToken.of(lease.token().value() + 1));
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }
}
