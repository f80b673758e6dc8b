package io.fenceline.spring;

import io.fenceline.Lease;
import java.util.stream.Stream;
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
        requireSynchronization(call);
        if (treatment == InTransaction.REFUSE) {
            throw new IllegalStateException(call
                    + " is within a transaction, and would end before the transaction commits. Begin the transaction"
                    + " inside of it, or keep it to the transaction's end with InTransaction.RELEASE_AFTER_COMPLETION");
        }
    }

    private static void requireSynchronization(String call) {
        if (!TransactionSynchronizationManager.isSynchronizationActive() || isCompleting()) {
            throw new IllegalStateException(call
                    + " is within the completion of a transaction, whose connection is bound to the thread still, or within one"
                    + " whose manager makes no synchronizations. Suspend that transaction first, by"
                    + " Propagation.NOT_SUPPORTED around this call, or call it on another thread");
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
        boolean observed = TransactionSynchronizationManager.isSynchronizationActive();
        if (!isActive() || (!observed && !isCompleting() && scope.isCovered())) {
            return;
        }
        requireSynchronization("a call that guards " + scope.resources());
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
                || (JDBC && Connections.areCompleting());
    }

    /** Tells that the transaction on a connection is checked, and then committed or rolled back. */
    static void beginCompletion(ConnectionHolder holder) {
        Completion key = new Completion(holder);
        if (!TransactionSynchronizationManager.hasResource(key)) {
            TransactionSynchronizationManager.bindResource(key, key);
        }
    }

    static void endCompletion(ConnectionHolder holder) {
        TransactionSynchronizationManager.unbindResourceIfPossible(new Completion(holder));
    }

    /** A resource of the thread's, which stays while the transaction on the connection is suspended. */
    private record Completion(ConnectionHolder holder) {}

    /** The part that needs spring-jdbc. */
    private static final class Connections {

        static boolean areBound() {
            return bound().findAny().isPresent();
        }

        static boolean areCompleting() {
            return bound().anyMatch(holder -> TransactionSynchronizationManager.hasResource(new Completion(holder)));
        }

        private static Stream<ConnectionHolder> bound() {
            return TransactionSynchronizationManager.getResourceMap().values().stream()
                    .filter(ConnectionHolder.class::isInstance)
                    .map(ConnectionHolder.class::cast);
        }
    }
}
