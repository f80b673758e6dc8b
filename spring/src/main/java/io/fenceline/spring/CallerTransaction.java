package io.fenceline.spring;

import io.fenceline.Lease;
import org.springframework.jdbc.datasource.ConnectionHolder;
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
                || (JDBC && !TransactionSynchronizationManager.isSynchronizationActive() && Connections.areBound());
    }

    /**
     * Refuses the call, or returns, as the treatment says.
     *
     * @param call named in the message
     */
    static void allow(InTransaction treatment, String call) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(call
                    + " is within the completion of a transaction, whose connection is bound to the thread still, or within one"
                    + " whose manager makes no synchronizations. Suspend that transaction first, by"
                    + " Propagation.NOT_SUPPORTED around this call, or call it on another thread");
        }
        if (treatment == InTransaction.REFUSE) {
            throw new IllegalStateException(call
                    + " is within a transaction, and would end before the transaction commits. Begin the transaction"
                    + " inside of it, or keep it to the transaction's end with InTransaction.RELEASE_AFTER_COMPLETION");
        }
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
                lease.close();
            }
        });
    }

    /** Keeps the stamp of a scope in force until the transaction has ended, if the thread is in one: it commits what the scope writes. */
    static void keep(FenceScope scope) {
        if (isActive() && TransactionSynchronizationManager.isSynchronizationActive()) {
            FenceScope kept = scope.openOutermost();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    kept.close();
                }
            });
        }
    }

    /** The part that needs spring-jdbc. */
    private static final class Connections {

        static boolean areBound() {
            return TransactionSynchronizationManager.getResourceMap().values().stream()
                    .anyMatch(ConnectionHolder.class::isInstance);
        }
    }
}
