package io.fenceline.spring.boot.autoconfigure;

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
        while (found instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            found = proxy.getTargetDataSource();
        }
        return Optional.ofNullable(found);
    }

    /**
     * Refuses a data source that chooses a database for each connection, unless it is marked.
     *
     * @throws IllegalStateException if each of its databases would have locks or fences of its own
     */
    static void refuseRouting(DataSource source, ObjectProvider<DataSource> marked, String what) {
        if (innermost(source) instanceof AbstractRoutingDataSource && marked.getIfUnique() == null) {
            throw new IllegalStateException(
                    "the application's DataSource chooses a database for each call, so each of them would have "
                            + what);
        }
    }

    private static DataSource innermost(DataSource source) {
        return source instanceof DelegatingDataSource outer && outer.getTargetDataSource() != null
                ? innermost(outer.getTargetDataSource())
                : source;
    }
}
