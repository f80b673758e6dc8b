package io.fenceline.spring.boot.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Finds the data source that is meant among those of the application. */
final class ApplicationDataSource {

    private ApplicationDataSource() {}

    /** Returns the first of two that is there, and on which statements do not join the caller's transaction. */
    static Optional<DataSource> firstOf(@Nullable DataSource first, ObjectProvider<DataSource> second) {
        DataSource found = first == null ? second.getIfUnique() : first;
        return Optional.ofNullable(found).map(ApplicationDataSource::withoutCallersTransactions);
    }

    /**
     * Refuses several marked ones, of which one would be taken without a word.
     *
     * @throws IllegalStateException if there are several
     */
    static void refuseSeveral(ObjectProvider<DataSource> marked) {
        long count = marked.stream().count();
        if (count > 1) {
            throw new IllegalStateException(
                    count + " DataSources are marked with @FencelineDataSource: mark the one that has the"
                            + " tables of locks and fences");
        }
    }

    private static DataSource withoutCallersTransactions(DataSource source) {
        DataSource found = source;
        while (found instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            found = proxy.getTargetDataSource();
        }
        return found;
    }

    /**
     * Refuses a data source that chooses a database for each connection, unless it is the marked one itself.
     *
     * @param source as {@link #firstOf} finds it
     * @throws IllegalStateException if each of its databases would have locks or fences of its own
     */
    static void refuseRouting(DataSource source, ObjectProvider<DataSource> marked, String what) {
        DataSource named = marked.getIfUnique();
        boolean isMarked = named != null && withoutCallersTransactions(named) == source;
        if (innermost(source) instanceof AbstractRoutingDataSource && !isMarked) {
            throw new IllegalStateException(
                    "the application's DataSource chooses a database for each call, so each of them would have "
                            + what);
        }
    }

    /**
     * Returns whether connections come with auto-commit off although nobody has begun a transaction, as {@code
     * spring.datasource.hikari.auto-commit=false} makes them. Never for one that joins the caller's transaction, where this would prove nothing.
     */
    static boolean turnsAutoCommitOff(DataSource source) {
        if (joinsTransactions(source)) {
            return false;
        }
        try (Connection connection = source.getConnection()) {
            return !connection.getAutoCommit();
        } catch (SQLException e) {
            return false; // who needs a connection next says what is wrong
        }
    }

    private static boolean joinsTransactions(DataSource source) {
        return source instanceof TransactionAwareDataSourceProxy
                || (source instanceof DelegatingDataSource outer
                        && outer.getTargetDataSource() != null
                        && joinsTransactions(outer.getTargetDataSource()));
    }

    private static DataSource innermost(DataSource source) {
        return source instanceof DelegatingDataSource outer && outer.getTargetDataSource() != null
                ? innermost(outer.getTargetDataSource())
                : source;
    }
}
