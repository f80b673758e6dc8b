package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locked calls in callbacks that come after a transaction, while its connection is bound to the thread still. */
class CompletedTransactionTest extends LockedTransactions {

    @ParameterizedTest
    @EnumSource
    void refusesACallInTheCompletionOfATransaction(InTransaction treatment) {
        LockTemplate treated = template.withInTransaction(treatment);

        assertThat(refusedAfterATransaction(() -> call(treated, "job", "job", () -> insert("a"))))
                .hasSize(2)
                .anySatisfy(e -> assertThat(e).hasMessageContaining("within the completion of a transaction"));
        assertThat(texts()).isEmpty();
        assertThat(locks.lookup("job")).isEmpty();
        assertThat(FenceScope.current()).isEmpty();
    }

    /** What it writes is committed when the connection goes back, and no longer guarded. */
    @Test
    void refusesAJoinedCallThere() throws Exception {
        template.run(
                "job",
                lease -> assertThat(refusedAfterATransaction(() -> call(template, "job", "job", () -> insert("a"))))
                        .hasSize(2)
                        .allSatisfy(e -> assertThat(e).hasMessageContaining("within the completion of a transaction")));

        assertThat(texts()).isEmpty();
    }

    @Test
    void refusesACallAfterARollback() throws Exception {
        template.run(
                "job",
                lease -> assertThat(refusedAfter(
                                TransactionStatus::setRollbackOnly,
                                () -> call(template, "job", "job", () -> insert("a"))))
                        .singleElement()
                        .satisfies(e -> assertThat(e).hasMessageContaining("within the completion of a transaction")));

        assertThat(texts()).isEmpty();
    }

    /** Spring tells no listener before it rolls such a transaction back. */
    @Test
    void refusesACallAfterACommitThatWasPrevented() throws Exception {
        List<RuntimeException> refused = new ArrayList<>();
        TransactionSynchronization preventing = new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw new UnsupportedOperationException("prevented");
            }

            @Override
            public void afterCompletion(int status) {
                try {
                    call(template, "job", "job", () -> insert("a"));
                } catch (IllegalStateException e) {
                    refused.add(e);
                }
            }
        };

        template.run(
                "job",
                lease -> assertThatThrownBy(() -> transactions.executeWithoutResult(
                                status -> TransactionSynchronizationManager.registerSynchronization(preventing)))
                        .hasMessage("prevented"));

        assertThat(refused)
                .singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("within the completion of a transaction"));
        assertThat(texts()).isEmpty();
    }

    @Test
    void locksInTheCompletionOfATransactionThatIsSuspended() {
        TransactionTemplate suspended = new TransactionTemplate(manager);
        suspended.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

        transactions.executeWithoutResult(status ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        suspended.executeWithoutResult(none -> call(
                                template, "job", "job", () -> transactions.executeWithoutResult(inner -> insert("a"))));
                    }
                }));

        assertThat(texts()).containsExactly("a");
        assertThat(guard.highest("job")).isPresent();
        assertThat(locks.lookup("job")).isEmpty();
    }

    private List<RuntimeException> refusedAfterATransaction(Runnable call) {
        return refusedAfter(status -> {}, call);
    }

    /** Makes a call in each callback that comes after a transaction. */
    private List<RuntimeException> refusedAfter(Consumer<TransactionStatus> work, Runnable call) {
        List<RuntimeException> refused = new ArrayList<>();
        Runnable caught = () -> {
            try {
                call.run();
            } catch (IllegalStateException e) {
                refused.add(e);
            }
        };
        transactions.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    caught.run();
                }

                @Override
                public void afterCompletion(int status) {
                    caught.run();
                }
            });
            work.accept(status);
        });
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        return refused;
    }
}
