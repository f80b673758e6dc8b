package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.ResourceKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.guard.FenceColumns.Form;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.KeyColumn;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.HeldFences;
import io.fenceline.jdbc.sql.OwnTransaction;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Protects the rows of one table by a column that holds the greatest token of each row.
 *
 * <p>Each write first takes the row's fence in the table of fences ({@link GuardOptions#table}), which stays locked until the
 * transaction ends, and then runs one statement on the condition that the column admits the stamp. So a row that is deleted,
 * or not there yet, has a fence too, and whoever claims the resource {@code table/key} by another guard or by hand binds the
 * column: the claim waits for a write that runs, and a stale write that comes later is refused. The table of fences has to be
 * there: {@link JdbcFenceGuard#schema}.
 *
 * <p>{@link #update} makes a transaction of its own where auto-commit is on. {@link #insert}, {@link #delete}, {@link #put} and
 * {@link #claim} need a transaction of the caller's, who commits or rolls back, and who rolls back after any exception.
 *
 * <p>A row's name is {@link ResourceKey#row}: the table without its schema, a slash, and the key, {@code orders/42}. Keys that
 * the database calls equal have one name: 42, 42.00 and "042" in a column of numbers.
 *
 * <p>With the first connection the table is checked: the key column has to be unique by itself, and compared byte by byte if it
 * is a text; the fence needs 8 bytes or 15 digits. A table that is not fit is an {@link IllegalArgumentException} that says
 * what to change.
 *
 * <p>A row that is not there is a value, {@code false}; a stale writer is an exception. Tokens may be numbers, or texts of 15
 * digits; a fence that is NULL, 0 or empty accepts its first write.
 *
 * <p>The protection is that of writers who use this class, or the same conditions. Immutable, safe for all threads; made once
 * and kept, since it keeps its statements. Names of tables and columns are quoted, so they are written as the database spells
 * them.
 */
public final class FencedTable {

    /** For questions that are nobody's. */
    private static final FenceStamp ANYBODY = new FenceStamp(LockKey.of("-"), FencingToken.of(1));

    private final FenceColumns columns;
    private final GuardOptions options;
    private final @Nullable UnaryOperator<String> naming;
    private final FenceRows fences;

    /** Made with the first connection. All connections are of one product. */
    private volatile @Nullable Known known;

    private FencedTable(FenceColumns columns, GuardOptions options, @Nullable UnaryOperator<String> naming) {
        this.columns = columns;
        this.options = options;
        this.naming = naming;
        this.fences = new FenceRows(options);
    }

    /**
     * Returns a table whose fences are numbers, with the default options. The column is best NOT NULL DEFAULT 0.
     *
     * @param table the table, perhaps after a schema and a dot
     * @param key the column that names a row: a primary key of one column, or with a unique index of its own
     * @param fence the column with the greatest token, of 8 bytes or 15 decimal digits
     * @return the table
     */
    public static FencedTable of(String table, String key, String fence) {
        return new FencedTable(
                new FenceColumns(table, key, fence, Optional.empty(), Form.NUMBER), GuardOptions.defaults(), null);
    }

    /**
     * Returns this table with tokens as texts of 15 digits, as {@link FencingToken#text} has them.
     *
     * @return a copy
     */
    public FencedTable withTextFences() {
        return new FencedTable(
                new FenceColumns(columns.table(), columns.key(), columns.fence(), columns.lockKey(), Form.TEXT),
                options,
                naming);
    }

    /**
     * Returns this table with a second column that keeps the lock key of the fence, for those who read the column. The table
     * of fences knows it anyway.
     *
     * @param column a text column, NULL or empty where no fence was written
     * @return a copy
     */
    public FencedTable withLockKeys(String column) {
        return new FencedTable(
                new FenceColumns(columns.table(), columns.key(), columns.fence(), Optional.of(column), columns.form()),
                options,
                naming);
    }

    /**
     * Returns this table with other options.
     *
     * @param newOptions the rule, the listeners, the table of fences and the product; retries are the caller's here
     * @return a copy
     */
    public FencedTable with(GuardOptions newOptions) {
        return new FencedTable(columns, newOptions, naming);
    }

    /**
     * Returns this table with other names for its rows, in the table of fences and in errors. Without this a row is named as
     * {@link ResourceKey#row} does. There are two reasons for other names: a table of the same name in another schema shares this
     * table of fences, so that the rows of both would share their fences; or keys are longer than a resource's name may be.
     * Whoever claims a row by another guard has to use the same names. Triggers know no names but a prefix and the key: {@link
     * io.fenceline.jdbc.trigger.GuardedTable#withPrefix}.
     *
     * @param newNaming makes a resource name of the canonical text of a row's key; different for every row, also for those of other
     *     tables
     * @return a copy
     */
    public FencedTable withNames(UnaryOperator<String> newNaming) {
        return new FencedTable(columns, options, newNaming);
    }

    /**
     * Updates a row if the stamp is not stale: in the caller's transaction, or where auto-commit is on in one that is
     * committed when this returns.
     *
     * @param connection where
     * @param row the row's key
     * @param stamp the writer's key and token
     * @param values the other columns
     * @return whether the row was updated; false if there is no such row: the fence is raised all the same
     * @throws StaleTokenException if a greater token was seen, also if the row is deleted since; the caller must roll back
     * @throws ForeignTokenException if the row belongs to another lock key; the caller must roll back
     * @throws SQLException if the database refuses or does not answer, or changed nothing though the row is there and its fence
     *     admits the stamp; in auto-commit the row is as it was unless the commit's answer was lost
     * @throws IllegalArgumentException if the table or the key is not fit for a fence; no statement has changed anything
     */
    public boolean update(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        FencedRow target = toWrite(connection, row, stamp);
        boolean commits = !known(connection).product().awaitsCommit(connection);
        if (commits) {
            if (!connection.getAutoCommit()) {
                throw FenceRows.withoutTransaction(connection);
            }
            HeldFences.ensureFree(connection, options.table(), target.name());
        }
        try (GuardCheck check = target.begin(GuardAct.WRITE)) {
            return check.accepted(target.updateAtOnce(values)
                    || (commits ? committed(connection, target, values) : target.update(values)));
        }
    }

    private static boolean committed(Connection connection, FencedRow row, Columns values) throws SQLException {
        try (OwnTransaction own = OwnTransaction.begin(connection)) {
            boolean updated = row.update(values);
            own.commit();
            return updated;
        }
    }

    /**
     * Inserts a row if its fence allows it, also that of a row which was deleted.
     *
     * @param connection in a transaction
     * @param row the row's key
     * @param stamp the writer's key and token
     * @param values the other columns
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the row belongs to another lock key; the caller must roll back
     * @throws SQLException if the database refuses or does not answer, also if there is such a row
     * @throws IllegalStateException if auto-commit is on
     */
    public void insert(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        fences.ensureInTransaction(connection);
        FencedRow target = toWrite(connection, row, stamp);
        try (GuardCheck check = target.begin(GuardAct.WRITE)) {
            target.enter();
            target.insert(values);
            check.accepted();
        }
    }

    /**
     * Deletes a row if the stamp is not stale. Its fence stays, in the table of fences, and refuses stale inserts.
     *
     * @param connection in a transaction
     * @param row the row's key
     * @param stamp the writer's key and token
     * @return whether the row was deleted; false if there is no such row: the fence is raised all the same
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the row belongs to another lock key; the caller must roll back
     * @throws SQLException if the database refuses or does not answer
     * @throws IllegalStateException if auto-commit is on
     */
    public boolean delete(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        fences.ensureInTransaction(connection);
        FencedRow target = toWrite(connection, row, stamp);
        try (GuardCheck check = target.begin(GuardAct.WRITE)) {
            target.enter();
            return check.accepted(target.delete());
        }
    }

    /**
     * Updates a row, or inserts it if there is none.
     *
     * @param connection in a transaction
     * @param row the row's key
     * @param stamp the writer's key and token
     * @param values the other columns
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the row belongs to another lock key; the caller must roll back
     * @throws SQLException if the database refuses or does not answer
     * @throws IllegalStateException if auto-commit is on
     */
    public void put(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        fences.ensureInTransaction(connection);
        FencedRow target = toWrite(connection, row, stamp);
        try (GuardCheck check = target.begin(GuardAct.WRITE)) {
            if (!target.updateAtOnce(values) && !target.update(values)) {
                target.insert(values);
            }
            check.accepted();
        }
    }

    /**
     * Raises a row's fence before the first read, whether the row is there or not. Counts when the transaction is committed.
     *
     * @param connection in a transaction
     * @param row the row's key
     * @param stamp the holder's key and token
     * @throws StaleTokenException if a greater token was seen; the caller must roll back
     * @throws ForeignTokenException if the row belongs to another lock key; the caller must roll back
     * @throws SQLException if the database refuses or does not answer
     * @throws UnsupportedOperationException if each grant writes once: a column cannot tell a claim from a write
     * @throws IllegalStateException if auto-commit is on
     */
    public void claim(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        fences.ensureInTransaction(connection);
        FencedRow target = toWrite(connection, row, stamp);
        if (options.rule() == FenceRule.ONCE) {
            throw new UnsupportedOperationException("claim on " + target.name() + ": column " + columns.fence()
                    + " cannot tell a claim from a write, so after a claim the grant's one write would be refused; use"
                    + " FenceRule.AT_LEAST, or JdbcFenceGuard, which can");
        }
        try (GuardCheck check = target.begin(GuardAct.CLAIM)) {
            target.claim();
            check.accepted();
        }
    }

    /**
     * Tells what a write would be answered, as far as the running transaction sees. Locks and protects nothing.
     *
     * @param connection where
     * @param row the row's key
     * @param stamp the writer's key and token
     * @return the verdict
     * @throws SQLException if the database refuses or does not answer
     */
    public Verdict check(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        return target(connection, row, stamp).check();
    }

    /**
     * Returns the greatest token that a row has seen, there or deleted.
     *
     * @param connection where
     * @param row the row's key
     * @return the token, or empty if the row was never fenced
     * @throws SQLException if the database refuses or does not answer
     */
    public Optional<FencingToken> highest(Connection connection, Object row) throws SQLException {
        return target(connection, row, ANYBODY).highest();
    }

    /** A row that is to be written. */
    private FencedRow toWrite(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        ResourceKey.text(row); // refuses what cannot name a row before the database is asked
        if (known == null && !connection.getAutoCommit()) {
            fences.reach(connection);
        }
        return target(connection, row, stamp);
    }

    private FencedRow target(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        Known table = known(connection);
        KeyColumn.Key key = table.keys().of(row);
        String name = naming == null
                ? ResourceKey.row(columns.table(), key.text())
                : ResourceName.of(naming.apply(key.text())).value();
        return new FencedRow(
                connection, table.product().fences(), table.sql(), columns, options, fences, key.value(), name, stamp);
    }

    private Known known(Connection connection) throws SQLException {
        Known made = known;
        if (made == null) {
            Product product = Products.of(connection, options.product());
            FenceDialect dialect = product.fences();
            TableSql sql = new TableSql(dialect, columns, options.rule());
            made = new Known(product, sql, TableShape.check(connection, dialect, columns, sql.probe()));
            known = made;
        }
        return made;
    }

    /** What is known of the table once a connection was there. */
    private record Known(Product product, TableSql sql, KeyColumn keys) {}
}
