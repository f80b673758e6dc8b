package io.fenceline.hibernate;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.guard.Verdict;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.hibernate.JDBCException;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.mutation.EntityTableMapping;
import org.hibernate.type.descriptor.ValueBinder;
import org.jspecify.annotations.Nullable;

/**
 * Reads and raises the fence column in the first table of one entity, through a session's own connection.
 */
record EntityRow(
        FenceGate gate, FencedEntity fenced, EntityTableMapping table, SharedSessionContractImplementor session) {

    private record Key(@Nullable Object value, SelectableMapping column) {}

    static EntityRow of(FenceGate gate, FencedEntity fenced, SharedSessionContractImplementor session) {
        return new EntityRow(gate, fenced, fenced.persister().getIdentifierTableMapping(), session);
    }

    /**
     * Raises the column, which locks the row until the transaction ends; for changes without an UPDATE of the row.
     *
     * @param admitted the greatest fence at which the writer is not stale
     * @return whether the row exists
     * @throws io.fenceline.guard.StaleTokenException if the column holds a greater token
     */
    boolean take(Object id, String resource, long admitted) {
        FenceStamp stamp = gate.fences(session).stampFor(resource);
        FenceColumnMapping column = fenced.column();
        List<Key> keys = keys(id);
        String sql = "update " + table.getTableName() + " set " + column.name() + "=? where " + matching(keys) + " and "
                + column.condition();
        int rows;
        try {
            rows = session.doReturningWork(connection -> {
                try (PreparedStatement update = connection.prepareStatement(sql)) {
                    bind(update, column.value(stamp.token()), column.column(), 1);
                    bind(update, keys, 2);
                    bind(update, column.bound(admitted), column.column(), keys.size() + 2);
                    return update.executeUpdate();
                }
            });
        } catch (JDBCException failure) {
            refuseIfStale(failure.getSQLException(), id, resource, admitted);
            throw failure;
        }
        if (rows == 0) {
            refuseIfStale(id, resource, admitted);
        }
        return rows > 0;
    }

    /**
     * Throws if no row matched because the writer is stale, and not because of another version or a missing row.
     *
     * @throws io.fenceline.guard.StaleTokenException if the column holds a greater token
     */
    void refuseIfStale(Object id, String resource, long admitted) {
        refuseIfAbove(admitted, resource, session.doReturningWork(connection -> read(connection, keys(id))));
    }

    /** The same for a row that is named by the values of its key's columns. */
    void refuseKeyIfStale(List<? extends @Nullable Object> key, String resource, long admitted) {
        List<Key> keys = new ArrayList<>();
        table.getKeyMapping().forEachKeyColumn((i, column) -> keys.add(new Key(key.get(i), column)));
        refuseIfAbove(admitted, resource, session.doReturningWork(connection -> read(connection, keys)));
    }

    /**
     * The same after a failure that may be a serialization conflict. The transaction is then stale or unusable, so another
     * connection reads the row.
     */
    void refuseIfStale(SQLException failure, Object id, String resource, long admitted) {
        try {
            OptionalLong seen =
                    SessionFenceTable.afterConflict(session, failure, connection -> read(connection, keys(id)));
            refuseIfAbove(admitted, resource, seen);
        } catch (SQLException | UnsupportedOperationException unknown) {
            failure.addSuppressed(unknown);
        }
    }

    private void refuseIfAbove(long admitted, String resource, OptionalLong seen) {
        FenceStamp stamp = gate.fences(session).stampFor(resource);
        if (seen.isPresent() && seen.getAsLong() > admitted) {
            SessionFences.refusable(
                    session,
                    () -> new Verdict.Stale(FencingToken.of(seen.getAsLong()))
                            .orThrow(resource, stamp, gate.listeners()));
        }
    }

    /** Reads the latest state of the row, not the transaction's snapshot. */
    private OptionalLong read(Connection connection, List<Key> keys) throws SQLException {
        String sql = SessionFenceTable.latest(
                connection,
                "SELECT " + fenced.column().name() + " FROM ",
                table.getTableName(),
                " WHERE " + matching(keys));
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            bind(select, keys, 1);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? OptionalLong.of(fenced.column().token(row.getObject(1))) : OptionalLong.empty();
            }
        }
    }

    private List<Key> keys(Object id) {
        List<Key> keys = new ArrayList<>();
        table.getKeyMapping().breakDownKeyJdbcValues(id, (value, column) -> keys.add(new Key(value, column)), session);
        return keys;
    }

    private static String matching(List<Key> keys) {
        return keys.stream()
                .map(key -> key.column().getSelectionExpression() + "=?")
                .collect(Collectors.joining(" and "));
    }

    private void bind(PreparedStatement statement, List<Key> keys, int first) throws SQLException {
        for (int i = 0; i < keys.size(); i++) {
            bind(statement, keys.get(i).value(), keys.get(i).column(), first + i);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the value is of the column's type, which only the mapping knows
    private void bind(PreparedStatement statement, @Nullable Object value, SelectableMapping column, int position)
            throws SQLException {
        ValueBinder binder = column.getJdbcMapping().getJdbcValueBinder();
        binder.bind(statement, value, position, session);
    }
}
