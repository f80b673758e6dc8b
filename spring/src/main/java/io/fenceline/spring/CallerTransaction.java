package io.fenceline.spring;

import io.fenceline.Lease;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction that the current thread is in when it enters a locked or leader-only call. */
final class CallerTransaction {

    private CallerTransaction() {}

    static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * Refuses the call, or returns, as the treatment says.
     *
     * @param call named in the message
     */
    static void allow(InTransaction treatment, String call) {
        if (treatment == InTransaction.REFUSE) {
            throw new IllegalStateException(call
                    + " is within a transaction, and would end before the transaction commits. Begin the transaction"
                    + " inside of it, or keep it to the transaction's end with InTransaction.RELEASE_AFTER_COMPLETION");
        }
    }

    /**
     * Keeps a scope, and the lease if there is one, until the transaction has ended. A lease that was lost before the commit makes
     * it fail.
     */
    static void keep(FenceScope scope, @Nullable Lease lease) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                if (lease != null) {
                    lease.ensureHeld();
                }
            }

            @Override
            public void afterCompletion(int status) {
                scope.close();
                if (lease != null) {
                    lease.close();
                }
            }
        });
    }
}
