package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.RefusedWriteException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A table of orders on a database, for triggers to guard. */
abstract class GuardedOrders {

    static final GuardedTable ORDERS = GuardedTable.of("orders", "id");

    TriggerPlace place;

    abstract TriggerPlace newPlace();

    @BeforeEach
    final void open() {
        place = newPlace();
        place.sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT)");
        place.sql("INSERT INTO orders VALUES (42, 'new'), (43, 'new')");
    }

    @AfterEach
    final void close() {
        place.close();
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("the \"lock\" of 'orders'"), FencingToken.of(token));
    }

    /** Runs statements under a stamp. */
    final void sql(long token, String... statements) {
        stamped(stamp(token), statements);
    }

    final void stamped(FenceStamp stamp, String... statements) {
        try {
            StampedWrites.on(place.source()).call(stamp, connection -> {
                for (String sql : statements) {
                    try (Statement statement = connection.createStatement()) {
                        statement.executeUpdate(sql);
                    }
                }
                return null;
            });
        } catch (SQLException e) {
            throw new TriggerPlace.Refused(e);
        }
    }

    final String state() {
        return all("SELECT id || ' ' || status FROM orders ORDER BY id");
    }

    final String all(String query) {
        return place.with(connection -> {
            StringBuilder rows = new StringBuilder();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                while (row.next()) {
                    rows.append(rows.isEmpty() ? "" : ", ").append(row.getString(1));
                }
            }
            return rows.toString();
        });
    }

    final <X extends RefusedWriteException> X refused(Class<X> kind, Runnable act) {
        X refusal = catchThrowableOfType(kind, act::run);
        assertThat(refusal).as("refusal").isNotNull();
        return refusal;
    }

    /** What a program that knows nothing is told. */
    final TriggerPlace.Refused complaint(String statement) {
        TriggerPlace.Refused e = catchThrowableOfType(TriggerPlace.Refused.class, () -> place.sql(statement));
        assertThat(e).as(statement).isNotNull();
        return e;
    }

    final List<ObservedWrites> observed() {
        return place.with(connection -> GuardedTables.observed(connection, place.fences()));
    }

    static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }
}
