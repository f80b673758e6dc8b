package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.guard.JoinedUpdate.Bound;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of the table of fences, on the connection of a transaction. */
final class FenceRows {

    private static final String READ = """
            SELECT lock_key, highest, written FROM fenceline_fences WHERE resource = ?1""";

    private final FenceTable table;
    private final FenceRule rule;
    private final Optional<String> productName;

    /** Made with the first connection. All connections of one guard are of one product. */
    private volatile @Nullable Statements statements;

    FenceRows(GuardOptions options) {
        this.table = new FenceTable(options.table());
        this.rule = options.rule();
        this.productName = options.product();
    }

    /** Also one that SQL or a transaction manager began, where the driver tells of it. */
    void ensureInTransaction(Connection connection) throws SQLException {
        if (!statements(connection).product().awaitsCommit(connection)) {
            throw withoutTransaction(connection);
        }
    }

    /** Makes the error of a connection on which a fence would not stay locked. */
    static IllegalStateException withoutTransaction(Connection connection) throws SQLException {
        String state = connection.getAutoCommit()
                ? "auto-commit is on"
                : "there is no transaction though auto-commit is off, as after one that could not begin or be rolled back, so set"
                        + " auto-commit on";
        return new IllegalStateException(state + ", so the fence would be free again before anything is written;"
                + " call setAutoCommit(false) first, or let the guard begin the transaction: JdbcFenceGuard.write");
    }

    /** Takes a resource's row for a write, which stays locked if it is admitted. */
    Verdict write(Connection connection, String resource, FenceStamp stamp) throws SQLException {
        Statements sql = statements(connection);
        if (enter(connection, sql, sql.write(), resource, stamp)) {
            return new Verdict.Accepted();
        }
        return sql.read(connection, sql.latest(), resource)
                .map(fence -> fence.onWrite(stamp, rule))
                .filter(verdict -> !verdict.isAccepted())
                .orElseThrow(() -> unexplained(resource));
    }

    /** Tells whether {@link #writeAndUpdate} is possible. */
    boolean canJoin(Connection connection) throws SQLException {
        return statements(connection).joined().isPresent();
    }

    /**
     * Takes a resource's row for a write and updates what it protects, in one request.
     *
     * @return false if it did not do both; {@link #write} and the update tell what a write is answered
     */
    boolean writeAndUpdate(Connection connection, String resource, FenceStamp stamp, Bound find, Bound update)
            throws SQLException {
        Statements sql = statements(connection);
        try {
            return sql.joined().orElseThrow().run(connection, sql.values(resource, stamp), find, update);
        } catch (SQLException e) {
            throw table.explained(e);
        }
    }

    /** Takes a resource's row for a claim, which stays locked if it is admitted. */
    Verdict claim(Connection connection, String resource, FenceStamp stamp) throws SQLException {
        Statements sql = statements(connection);
        if (enter(connection, sql, sql.claim(), resource, stamp)) {
            return new Verdict.Accepted();
        }
        // Accepted also if the stamp is the one that the row has: the statement has locked it and had nothing to raise.
        return sql.read(connection, sql.latest(), resource)
                .map(fence -> fence.onClaim(stamp))
                .orElseThrow(() -> unexplained(resource));
    }

    private boolean enter(Connection connection, Statements sql, Steps steps, String resource, FenceStamp stamp)
            throws SQLException {
        try {
            return steps.run(connection, sql.values(resource, stamp));
        } catch (SQLException e) {
            throw table.explained(e);
        }
    }

    /**
     * Makes sure that the table is there, and that the transaction may write: on SQLite one that has read cannot, once others
     * have written.
     */
    void reach(Connection connection) throws SQLException {
        try {
            new Sql(table.in("UPDATE fenceline_fences SET written = written WHERE 1 = 0")).run(connection);
        } catch (SQLException e) {
            throw table.explained(e);
        }
    }

    Optional<Fence> read(Connection connection, String resource) throws SQLException {
        Statements sql = statements(connection);
        return sql.read(connection, sql.read(), resource);
    }

    /** The row refused and is then seen accepting: a snapshot of the past, or somebody who changes fences by hand. */
    private static SQLException unexplained(String resource) {
        return new SQLException(
                "the fence of '" + resource + "' was changed meanwhile, by another transaction or by hand", "40001");
    }

    private Statements statements(Connection connection) throws SQLException {
        Statements known = statements;
        if (known == null) {
            Product product = Products.of(connection, productName);
            FenceDialect dialect = product.fences();
            dialect.ensureFit(connection);
            known = new Statements(
                    product,
                    new Steps(dialect, dialect.write(rule), table::in),
                    joined(dialect),
                    new Steps(dialect, dialect.claim(), table::in),
                    new Sql(table.in(READ)),
                    new Sql(table.in(dialect.latest(READ))));
            statements = known;
        }
        return known;
    }

    /** Not where each grant writes once: a second attempt would be refused. */
    private Optional<JoinedUpdate> joined(FenceDialect dialect) {
        return dialect.oneRequest()
                .filter(joined -> rule == FenceRule.AT_LEAST)
                .map(joined -> new JoinedUpdate(joined, table::in));
    }

    private record Statements(
            Product product, Steps write, Optional<JoinedUpdate> joined, Steps claim, Sql read, Sql latest) {
        FenceDialect dialect() {
            return product.fences();
        }

        Object[] values(String resource, FenceStamp stamp) {
            return new Object[] {
                dialect().key(resource),
                dialect().key(stamp.key().value()),
                stamp.token().value()
            };
        }

        Optional<Fence> read(Connection connection, Sql query, String resource) throws SQLException {
            return query.one(connection, this::fence, dialect().key(resource));
        }

        private Fence fence(ResultSet row) throws SQLException {
            return new Fence(
                    LockKey.of(dialect().key(row, "lock_key")),
                    FencingToken.of(row.getLong("highest")),
                    row.getLong("written"));
        }
    }
}
