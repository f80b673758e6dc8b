package io.fenceline.jdbc.guard;

import io.fenceline.jdbc.product.OneRequest;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The write of a fence and the update of its row in one request. It is an attempt: if it changed no row, the two have to be repeated
 * one after the other, which tells the reason.
 */
final class JoinedUpdate {

    private final Sql write;
    private final Sql end;
    private final Sql written;

    JoinedUpdate(OneRequest joined, UnaryOperator<String> names) {
        this.write = new Sql(names.apply(joined.write()));
        this.end = new Sql(names.apply(joined.end()));
        this.written = new Sql(names.apply(joined.written()));
    }

    /** A statement with its values. */
    record Bound(String sql, List<@Nullable Object> values) {}

    /**
     * Tells whether the fence was written and the row updated.
     *
     * @param fence resource, lock key and token, as the database gets them
     * @param find finds the row if it admits the stamp
     * @param update ends with conditions
     */
    boolean run(Connection connection, Object[] fence, Bound find, Bound update) throws SQLException {
        String text = write.text() + find.sql() + end.text() + ";\n" + update.sql() + " AND " + written.text();
        List<@Nullable Object> values = new ArrayList<>(write.inOrder(fence));
        values.addAll(find.values());
        values.addAll(end.inOrder(fence));
        values.addAll(update.values());
        values.addAll(written.inOrder(fence));
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            statement.execute();
            statement.getMoreResults();
            return statement.getUpdateCount() > 0;
        }
    }
}
