package io.fenceline.jdbc.outbox;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.guard.FenceDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The database with an outbox: its product, and single statements that commit by themselves. */
final class OutboxStore {

    private static final List<OutboxDialect> DIALECTS = List.of(new PostgresOutbox(), new SqliteOutbox());

    /** Something to do with the outbox's statements. */
    @FunctionalInterface
    interface Work<T> {
        T with(OutboxStatements statements, Connection connection) throws SQLException;
    }

    private final DataSource source;
    private final OutboxOptions options;
    private final Optional<FenceDialect> given;

    /** Found out with the first connection. All connections are of one product. */
    private volatile @Nullable Product product;

    OutboxStore(DataSource source, OutboxOptions options, Optional<FenceDialect> given) {
        this.source = source;
        this.options = options;
        this.given = given;
    }

    <T> T read(Work<T> work) {
        return single(work, Effect.NONE);
    }

    <T> T change(Work<T> work) {
        return single(work, Effect.UNKNOWN);
    }

    /** Does something in a transaction of the caller's. */
    <T> T joined(Connection connection, Work<T> work) throws SQLException {
        return work.with(product(connection).statements(), connection);
    }

    BackendException failed(SQLException e) {
        Product known = product;
        return known == null
                ? new BackendException(ErrorCode.INTERNAL, Effect.UNKNOWN, "outbox: " + e.getMessage(), e)
                : known.dialect().failed(e, Effect.UNKNOWN);
    }

    private <T> T single(Work<T> work, Effect unclear) {
        try (Connection connection = source.getConnection()) {
            return committing(connection, product(connection), work, unclear);
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    private static <T> T committing(Connection connection, Product product, Work<T> work, Effect unclear)
            throws SQLException {
        if (product.dialect().isInTransaction(connection)) {
            throw boundToTransaction();
        }
        boolean before = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try {
            T result = work.with(product.statements(), connection);
            connection.setAutoCommit(before);
            return result;
        } catch (SQLException e) {
            throw product.dialect().failed(e, unclear);
        }
    }

    private BackendException unreachable(SQLException e) {
        Product known = product;
        return known != null
                ? known.dialect().unreachable(e)
                : new BackendException(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        Effect.NONE,
                        "outbox '" + options.name() + "': no connection: " + e.getMessage(),
                        e);
    }

    private static BackendException boundToTransaction() {
        return new BackendException(
                ErrorCode.INTERNAL,
                Effect.NONE,
                "the data source gave a connection in the middle of a transaction; give one that is not bound to the"
                        + " caller's transaction",
                null);
    }

    private Product product(Connection connection) throws SQLException {
        Product known = product;
        if (known == null) {
            FenceDialect dialect = given.isPresent() ? given.get() : FenceDialect.of(connection);
            known = new Product(dialect, new OutboxStatements(outboxOn(dialect.product()), options));
            product = known;
        }
        return known;
    }

    private static OutboxDialect outboxOn(String product) {
        return DIALECTS.stream()
                .filter(dialect -> dialect.product().equals(product))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no outbox on '" + product + "'; known are "
                        + DIALECTS.stream().map(OutboxDialect::product).collect(Collectors.joining(", "))));
    }

    private record Product(FenceDialect dialect, OutboxStatements statements) {}
}
