package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.guard.FenceColumns.Form;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Protects the rows of one table by a column that holds the greatest token of each row.
 *
 * <p>{@link #update} is one conditional statement and nothing more, so it needs no transaction. What changes whether a row is
 * there ({@link #insert}, {@link #delete}, {@link #put}), and {@link #claim}, also takes the row's fence in the table of fences
 * ({@link GuardOptions#table}), first, so that a row that is deleted, or not there yet, has a fence too. These need a
 * transaction of the caller's, who commits or rolls back, and who rolls back after any exception.
 *
 * <p>A row that is not there is a value, {@code false}; a stale writer is an exception. Tokens may be numbers, or texts of 15
 * digits; a fence that is NULL, 0 or empty accepts its first write.
 *
 * <p>The protection is that of writers who use this class, or the same conditions. Immutable, safe for all threads; made once
 * and kept, since it keeps its statements. Names of tables and columns are quoted, so they are written as the database spells
 * them.
 */
public final class FencedTable {

    private final FenceColumns columns;
    private final GuardOptions options;
    private final UnaryOperator<String> naming;
    private final FenceRows fences;

    /** Made with the first connection. All connections are of one product. */
    private volatile @Nullable TableSql sql;

    private FencedTable(FenceColumns columns, GuardOptions options, UnaryOperator<String> naming) {
        this.columns = columns;
        this.options = options;
        this.naming = naming;
        this.fences = new FenceRows(options);
    }

    /**
     * Returns a table whose fences are numbers, with the default options. The column is best NOT NULL DEFAULT 0.
     *
     * @param table the table, perhaps after a schema and a dot
     * @param key the column that names a row: a primary key of one column
     * @param fence the column with the greatest token, of 8 bytes or 15 decimal digits
     * @return the table
     */
    public static FencedTable of(String table, String key, String fence) {
        return new FencedTable(
                new FenceColumns(table, key, fence, Optional.empty(), Form.NUMBER),
                GuardOptions.defaults(),
                row -> RowName.of(table, row));
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
     * Returns this table with a second column that keeps the lock key of the fence. With it a token of another lock is refused;
     * without it {@link #update} compares what cannot be compared.
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
     * Returns this table with other names for its rows, in the table of fences and in errors. Without this a row is {@code
     * table/key}, or a hash of the key where that is no resource name.
     *
     * @param newNaming makes a resource name of a row's key as text; different for every row
     * @return a copy
     */
    public FencedTable withNames(UnaryOperator<String> newNaming) {
        return new FencedTable(columns, options, newNaming);
    }

    /**
     * Updates a row if the stamp is not stale: one statement, in the caller's transaction or committed by itself.
     *
     * @param connection where
     * @param row the row's key
     * @param stamp the writer's key and token
     * @param values the other columns
     * @return whether the row was updated; false if there is no such row, and none that a newer holder deleted
     * @throws StaleTokenException if the row has seen a greater token, also if it is deleted since
     * @throws ForeignTokenException if the row belongs to another lock key
     * @throws SQLException if the database refuses or does not answer
     */
    public boolean update(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        try (GuardCheck check = begin(GuardAct.WRITE, row, stamp)) {
            return check.accepted(updateRow(connection, row, stamp, values));
        }
    }

    private GuardCheck begin(GuardAct act, Object row, FenceStamp stamp) {
        if (!options.listeners().isOn()) {
            return GuardCheck.UNHEARD;
        }
        String name;
        try {
            name = name(row);
        } catch (RuntimeException unnamed) { // an update needs no name, and nobody's listening may make it fail
            return GuardCheck.UNHEARD;
        }
        return GuardCheck.begin(options.listeners(), act, name, stamp);
    }

    private boolean updateRow(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        if (changed(connection, sql(connection).update(values.names()), values.values(), row, stamp)) {
            return true;
        }
        Optional<Fence> seen = rowFence(connection, row, stamp);
        if (seen.isPresent()) {
            refuse(row, stamp, seen.get().onWrite(stamp, options.rule()));
        }
        String name = name(row);
        fences.read(connection, name)
                .map(fence -> fence.onWrite(stamp, options.rule()))
                .orElse(new Verdict.Accepted())
                .orThrow(name, stamp, options.listeners());
        return false;
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
        try (GuardCheck check = begin(GuardAct.WRITE, row, stamp)) {
            enter(connection, row, stamp);
            insertRow(connection, row, stamp, values);
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
        try (GuardCheck check = begin(GuardAct.WRITE, row, stamp)) {
            return check.accepted(deleteRow(connection, row, stamp));
        }
    }

    private boolean deleteRow(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        enter(connection, row, stamp);
        List<Object> values = new ArrayList<>(List.of(row));
        addStamp(values, stamp);
        if (execute(connection, sql(connection).delete(), values) > 0) {
            return true;
        }
        Optional<Fence> seen = rowFence(connection, row, stamp);
        if (seen.isPresent()) {
            refuse(row, stamp, seen.get().onWrite(stamp, options.rule()));
        }
        return false;
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
        try (GuardCheck check = begin(GuardAct.WRITE, row, stamp)) {
            putRow(connection, row, stamp, values);
            check.accepted();
        }
    }

    private void putRow(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        enter(connection, row, stamp);
        if (!changed(connection, sql(connection).update(values.names()), values.values(), row, stamp)) {
            Optional<Fence> seen = rowFence(connection, row, stamp);
            if (seen.isPresent()) {
                refuse(row, stamp, seen.get().onWrite(stamp, options.rule()));
            }
            insertRow(connection, row, stamp, values);
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
        if (options.rule() == FenceRule.ONCE) {
            throw new UnsupportedOperationException("claim on " + name(row) + ": column " + columns.fence()
                    + " cannot tell a claim from a write, so after a claim the grant's one write would be refused; use"
                    + " FenceRule.AT_LEAST, or JdbcFenceGuard, which can");
        }
        FenceRows.ensureInTransaction(connection);
        try (GuardCheck check = begin(GuardAct.CLAIM, row, stamp)) {
            claimRow(connection, row, stamp);
            check.accepted();
        }
    }

    private void claimRow(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        String name = name(row);
        fences.claim(connection, name, stamp).orThrow(name, stamp, options.listeners());
        if (!changed(connection, sql(connection).claim(), List.of(), row, stamp)) {
            Optional<Fence> seen = rowFence(connection, row, stamp);
            if (seen.isPresent()) {
                refuse(row, stamp, seen.get().onClaim(stamp));
            }
        }
    }

    /**
     * Tells what a write would be answered now. Protects nothing.
     *
     * @param connection where
     * @param row the row's key
     * @param stamp the writer's key and token
     * @return the verdict
     * @throws SQLException if the database refuses or does not answer
     */
    public Verdict check(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        Verdict ofRow = rowFence(connection, row, stamp)
                .map(fence -> fence.onWrite(stamp, options.rule()))
                .orElse(new Verdict.Accepted());
        return ofRow.isAccepted()
                ? fences.read(connection, name(row))
                        .map(fence -> fence.onWrite(stamp, options.rule()))
                        .orElse(ofRow)
                : ofRow;
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
        Optional<FencingToken> ofRow = read(connection, row).flatMap(Seen::token);
        Optional<FencingToken> beside = fences.read(connection, name(row)).map(Fence::highest);
        return ofRow.isPresent() && beside.isPresent()
                ? ofRow.map(token -> token.isNewerThan(beside.get()) ? token : beside.get())
                : ofRow.or(() -> beside);
    }

    private void enter(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        FenceRows.ensureInTransaction(connection);
        String name = name(row);
        fences.write(connection, name, stamp).orThrow(name, stamp, options.listeners());
    }

    private void insertRow(Connection connection, Object row, FenceStamp stamp, Columns values) throws SQLException {
        List<@Nullable Object> all = new ArrayList<>(values.values());
        addStamp(all, stamp);
        all.add(row);
        execute(connection, sql(connection).insert(values.names()), all);
    }

    private boolean changed(
            Connection connection, String text, List<@Nullable Object> values, Object row, FenceStamp stamp)
            throws SQLException {
        List<@Nullable Object> all = new ArrayList<>(values);
        addStamp(all, stamp);
        all.add(row);
        addStamp(all, stamp);
        return execute(connection, text, all) > 0;
    }

    private void addStamp(List<@Nullable Object> values, FenceStamp stamp) {
        values.add(columns.form().of(stamp.token()));
        if (columns.lockKey().isPresent()) {
            values.add(stamp.key().value());
        }
    }

    private static int execute(Connection connection, String text, List<@Nullable Object> values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            return statement.executeUpdate();
        }
    }

    private void refuse(Object row, FenceStamp stamp, Verdict verdict) throws SQLException {
        verdict.orThrow(name(row), stamp, options.listeners());
        // The statement found no row that it may change, and now there is one: somebody has just made it.
        throw new SQLException("row " + name(row) + " was changed meanwhile; repeat the transaction", "40001");
    }

    /** The fence of a row that is there; one that was never fenced is the stamp's own. */
    private Optional<Fence> rowFence(Connection connection, Object row, FenceStamp stamp) throws SQLException {
        return read(connection, row).map(seen -> {
            LockKey owner = seen.key().orElse(stamp.key());
            return seen.token()
                    .map(token -> new Fence(owner, token, token.value()))
                    .orElseGet(() -> new Fence(owner, FencingToken.of(1), 0));
        });
    }

    private Optional<Seen> read(Connection connection, Object row) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(sql(connection).read())) {
            statement.setObject(1, row);
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next()) {
                    return Optional.empty();
                }
                String key = columns.lockKey().isPresent() ? result.getString(2) : null;
                return Optional.of(new Seen(
                        Form.read(result.getString(1)),
                        Optional.ofNullable(key).filter(text -> !text.isEmpty()).map(LockKey::of)));
            }
        }
    }

    private String name(Object row) {
        return ResourceName.of(naming.apply(String.valueOf(row))).value();
    }

    private TableSql sql(Connection connection) throws SQLException {
        TableSql known = sql;
        if (known == null) {
            FenceDialect dialect =
                    options.dialect().isPresent() ? options.dialect().get() : FenceDialect.of(connection);
            known = new TableSql(dialect, columns, options.rule());
            sql = known;
        }
        return known;
    }

    /** What a row says of its fence. */
    private record Seen(Optional<FencingToken> token, Optional<LockKey> key) {}
}
