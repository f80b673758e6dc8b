package io.fenceline.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions that the current thread has begun and not ended, as {@link TransactionFences} are told of them. A manager suspends the
 * synchronizations of another manager's transaction, and leaves its connection bound: what the thread writes there joins that transaction.
 */
final class OpenTransactions {

    /** One transaction; among the synchronizations of the thread unless these are suspended or have ended. */
    private static final class Open implements TransactionSynchronization {

        private final ConnectionHolder holder;
        private final boolean isPlainJdbc;
        private boolean isCompleting;
        private boolean isCompleted;

        Open(ConnectionHolder holder, boolean isPlainJdbc) {
            this.holder = holder;
            this.isPlainJdbc = isPlainJdbc;
        }

        boolean isBound() {
            return TransactionSynchronizationManager.getResourceMap().containsValue(holder);
        }

        boolean isCurrent() {
            return TransactionSynchronizationManager.isSynchronizationActive()
                    && TransactionSynchronizationManager.getSynchronizations().contains(this);
        }

        /**
         * {@inheritDoc} If a callback or listener throws before the end, managers may neither commit nor roll back, whatever the status says:
         * those of plain JDBC then reset the connection, which commits. A second rollback changes nothing.
         */
        @Override
        public void afterCompletion(int status) {
            isCompleted = true;
            if (status == STATUS_UNKNOWN && !isCompleting) {
                ended(holder); // listeners are not told of its end
            }
            if (status != STATUS_COMMITTED && isPlainJdbc) {
                rollBack();
            }
        }

        /** Returns whether the transaction is over although no listener was told of its end. */
        boolean isLeftOver() {
            return isCompleted && !isBound();
        }

        private void rollBack() {
            try {
                Connection connection = holder.getConnection();
                if (!connection.isClosed()) { // pools close connections that are broken
                    connection.rollback();
                }
            } catch (SQLException e) {
                throw new TransactionSystemException("a transaction whose commit was prevented was not rolled back", e);
            }
        }
    }

    private OpenTransactions() {}

    /** Tells that a transaction has begun which is not nested in another one of its connection. */
    static void begun(ConnectionHolder holder, boolean isPlainJdbc) {
        Open open = new Open(holder, isPlainJdbc);
        put(Stream.concat(all().filter(each -> !each.isLeftOver()), Stream.of(open))
                .toList());
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(open);
        }
    }

    /** Tells that a transaction is checked, and then committed or rolled back. */
    static void completing(ConnectionHolder holder) {
        all().filter(open -> open.holder == holder).forEach(open -> open.isCompleting = true);
    }

    static void ended(ConnectionHolder holder) {
        put(all().filter(open -> open.holder != holder).toList());
    }

    /** Returns whether any connection is bound to the thread, also that of a transaction of which no listener is told. */
    static boolean isConnectionBound() {
        return TransactionSynchronizationManager.getResourceMap().values().stream()
                .anyMatch(ConnectionHolder.class::isInstance);
    }

    /** Returns whether what is written on one of their connections comes too late for its commit. */
    static boolean areCompleting() {
        return bound().anyMatch(open -> open.isCompleting);
    }

    /** Returns whether one is open whose end the current synchronizations do not tell. */
    static boolean areUnobserved() {
        return bound().anyMatch(open -> !open.isCurrent());
    }

    /** Returns the connection of the transaction whose end the current synchronizations tell; null if they tell none. */
    static @Nullable ConnectionHolder current() {
        return bound().filter(Open::isCurrent)
                .map(open -> open.holder)
                .findFirst()
                .orElse(null);
    }

    /** Those that their own manager has not suspended. */
    private static Stream<Open> bound() {
        return all().filter(Open::isBound);
    }

    private static Stream<Open> all() {
        return TransactionSynchronizationManager.getResource(OpenTransactions.class) instanceof List<?> all
                ? all.stream().map(Open.class::cast)
                : Stream.empty();
    }

    private static void put(List<Open> all) {
        TransactionSynchronizationManager.unbindResourceIfPossible(OpenTransactions.class);
        if (!all.isEmpty()) {
            TransactionSynchronizationManager.bindResource(OpenTransactions.class, all);
        }
    }
}
