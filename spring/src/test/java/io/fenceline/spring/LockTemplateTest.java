package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.memory.MemoryLockBackend;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class LockTemplateTest extends LockedTransactions {

    @Test
    void claimsBeforeTheWorkReads() throws Exception {
        template.run(
                "invoice:42", lease -> assertThat(guard.highest("invoice:42")).contains(lease.stamp()));
    }

    @Test
    void doesNotRunTheWorkOfAStaleHolder() throws Exception {
        guard.claim("invoice:42", new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(1_000_000)));

        assertThatThrownBy(() -> template.run("invoice:42", lease -> insert("a")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
        assertThat(locks.lookup("invoice:42")).isEmpty();
    }

    @Test
    void guardsTheResourcesThatAreNamed() throws Exception {
        template.call("job", LockOptions.defaults(), List.of("b", "a"), lease -> transactions.execute(status -> 1));

        assertThat(guard.highest("a")).isPresent();
        assertThat(guard.highest("b")).isPresent();
        assertThat(guard.highest("job")).isEmpty();
    }

    @Test
    void claimsForAnInnerLockWhatAnOuterOneHasClaimed() throws Exception {
        template.run(
                "outer",
                outer -> assertThatThrownBy(
                                () -> template.call("inner", LockOptions.defaults(), List.of("outer"), inner -> 1))
                        .isInstanceOf(ForeignTokenException.class));
    }

    @Test
    void refusesToLockWithinATransaction() {
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> run(template, "a", () -> insert("a"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lock 'a' is within a transaction");
        assertThat(texts()).isEmpty();
    }

    @Test
    void joinsALeaseWithinATransaction() throws Exception {
        template.run("a", lease -> transactions.executeWithoutResult(status -> run(template, "a", () -> insert("a"))));

        assertThat(texts()).containsExactly("a");
    }

    @Test
    void doesNotJoinALeaseOfOtherLocks() throws Exception {
        try (Locks others = Locks.over(new MemoryLockBackend())) {
            LockTemplate another = LockTemplate.of(others);

            template.run("a", lease -> another.run("a", its -> assertThat(its).isNotSameAs(lease)));
        }
    }

    @Test
    void keepsTheLockUntilTheTransactionHasEnded() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);

        transactions.executeWithoutResult(status -> {
            run(keeping, "a", () -> insert("a"));
            assertThat(locks.lookup("a")).isPresent();
        });

        assertThat(locks.lookup("a")).isEmpty();
        assertThat(FenceScope.current()).isEmpty();
        assertThat(guard.highest("a")).isPresent();
        assertThat(texts()).containsExactly("a");
    }

    @Test
    void keepsNoLockOfATransactionThatIsRolledBack() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);

        transactions.executeWithoutResult(status -> {
            run(keeping, "a", () -> insert("a"));
            status.setRollbackOnly();
        });

        assertThat(locks.lookup("a")).isEmpty();
        assertThat(FenceScope.current()).isEmpty();
    }

    /** Its caller is told of the loss. A half would stay: the interrupt of a loss can end the work by a checked exception, at which Spring commits. */
    @Test
    void rollsBackWhenTheLeaseIsLostThoughNobodyElseHasClaimed() {
        assertThatThrownBy(() -> run(
                        template,
                        "a",
                        () -> transactions.executeWithoutResult(status -> {
                            insert("a");
                            locks.close();
                        })))
                .isInstanceOf(LeaseLostException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void rollsBackWhenTheLeaseIsLostThoughNoResourceIsNamed() {
        assertThatThrownBy(() -> template.call(
                        "a",
                        LockOptions.defaults(),
                        List.of(),
                        lease -> transactions.execute(status -> {
                            insert("a");
                            locks.close();
                            return lease;
                        })))
                .isInstanceOf(LeaseLostException.class);
        assertThat(texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rollsBackWhenOneOfTwoLeasesIsLost(boolean isTheOuterOne) {
        try (Locks others = Locks.over(new MemoryLockBackend())) {
            LockTemplate inner = LockTemplate.of(others);
            Locks lost = isTheOuterOne ? locks : others;

            assertThatThrownBy(() -> run(
                            template,
                            "a",
                            () -> run(
                                    inner,
                                    "b",
                                    () -> transactions.executeWithoutResult(status -> {
                                        insert("a");
                                        lost.close();
                                    }))))
                    .isInstanceOf(LeaseLostException.class);
        }
        assertThat(texts()).isEmpty();
    }

    /** As {@code TransactionalEventListener} with {@code REQUIRES_NEW} does. Spring would only log a refusal. */
    @Test
    void letsWritesAfterTheTransactionThroughThoughAnotherCallHasJoinedTheKeptLease() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);
        TransactionTemplate listener = new TransactionTemplate(transactions.getTransactionManager());
        listener.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        transactions.executeWithoutResult(status -> {
            run(keeping, "a", () -> insert("a"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int completion) {
                    listener.executeWithoutResult(own -> insert("b"));
                }
            });
            run(keeping, "a", () -> insert("c"));
        });

        assertThat(texts()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(FenceScope.current()).isEmpty();
    }

    @Test
    void rollsBackWhenAKeptLeaseIsLost() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);

        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    run(keeping, "a", () -> insert("a"));
                    locks.close();
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void guardsAKeptLeaseAtTheCommit() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);

        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    Lease lease = call(keeping, "a");
                    insert("a");
                    guard.claim(
                            "a",
                            new FenceStamp(
                                    lease.key(), FencingToken.of(lease.token().value() + 1)));
                }))
                .isInstanceOf(StaleTokenException.class);
        assertThat(texts()).isEmpty();
    }

    @Test
    void releasesWhereAResourceHasNoValidName() {
        LockTemplate keeping = template.withInTransaction(InTransaction.RELEASE_AFTER_COMPLETION);

        transactions.executeWithoutResult(
                status -> assertThatThrownBy(() -> keeping.call("a", LockOptions.defaults(), List.of(""), lease -> 1))
                        .isInstanceOf(IllegalArgumentException.class));

        assertThat(locks.lookup("a")).isEmpty();
    }

    private static void run(LockTemplate template, String key, Runnable work) {
        try {
            template.run(key, lease -> work.run());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Lease call(LockTemplate template, String key) {
        try {
            return template.call(key, lease -> lease);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
