package io.fenceline.spring;

import io.fenceline.Lease;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction that the current thread is in when it enters a locked or leader-only call. */
final class CallerTransaction {

    private static final boolean JDBC = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.ConnectionHolder", CallerTransaction.class.getClassLoader());

    private CallerTransaction() {}

    /** Returns whether the thread is in a transaction. A manager that makes no synchronizations only binds its connection. */
    static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                || (JDBC
                        && (OpenTransactions.areUnobserved()
                                || (!TransactionSynchronizationManager.isSynchronizationActive()
                                        && OpenTransactions.isConnectionBound())));
    }

    /**
     * Refuses the call, or returns, as the treatment says.
     *
     * @param call named in the message
     */
    static void allow(InTransaction treatment, String call) {
        requireObserved(call);
        if (treatment == InTransaction.REFUSE) {
            throw new IllegalStateException(call
                    + " is within a transaction, and would end before the transaction commits. Begin the transaction"
                    + " inside of it, or keep it to the transaction's end with InTransaction.RELEASE_AFTER_COMPLETION");
        }
    }

    private static void requireObserved(String call) {
        if (isCompleting()) {
            throw refusal(call, "the completion of a transaction, whose connection is bound to the thread still");
        } else if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw refusal(call, "a transaction whose manager makes no synchronizations");
        } else if (!isObserved()) {
            throw refusal(call, "a transaction of another manager than the current one, which commits after it");
        }
    }

    private static IllegalStateException refusal(String call, String transaction) {
        return new IllegalStateException(call + " is within " + transaction + ". Suspend that transaction first, by"
                + " Propagation.NOT_SUPPORTED of its own manager around this call, or make the call on another thread");
    }

    /** Returns whether callbacks can be had at the end of all transactions that the thread is in. */
    private static boolean isObserved() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && !(JDBC && OpenTransactions.areUnobserved());
    }

    /** Keeps a lease until the transaction has ended. One that was lost before the commit makes that fail. */
    static void keep(Lease lease) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                lease.ensureHeld();
            }

            @Override
            public void afterCompletion(int status) {
                FenceScope.closeAllOf(lease); // later callbacks may write in transactions of their own
                lease.close();
            }
        });
    }

    /** Keeps the stamp of a scope in force until the transaction has ended, if the thread is in one: it commits what the scope writes. */
    static void keep(FenceScope scope) {
        if (!isActive() || (!isObserved() && !isCompleting() && scope.isCovered())) {
            return;
        }
        requireObserved("a call that guards " + scope.resources());
        FenceScope kept = scope.openOutermost();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                kept.close();
            }
        });
    }

    /**
     * Returns whether what joins the thread's transaction comes too late for its commit, as in callbacks after that. Those of a transaction whose
     * commit was prevented are known by their synchronizations, which have ended: Spring tells no listener of that rollback before it.
     */
    private static boolean isCompleting() {
        return (TransactionSynchronizationManager.isActualTransactionActive()
                        && !TransactionSynchronizationManager.isSynchronizationActive())
                || (JDBC && OpenTransactions.areCompleting());
    }
}
