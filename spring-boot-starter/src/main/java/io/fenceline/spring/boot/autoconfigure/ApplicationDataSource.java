package io.fenceline.spring.boot.autoconfigure;

import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

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
}
