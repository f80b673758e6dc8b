package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.FencedTableTest.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sqlite.SQLiteDataSource;

/** A table with triggers is written by the library's guards, and by nobody without a stamp. */
@Tag("R8")
@Timeout(60)
class TriggeredTableTest {

    abstract static class Everywhere {

        final GuardPlace place = newPlace();
        final JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
        final FencedTable orders =
                FencedTable.of(place.in("orders"), "id", "last_fence").with(place.options());
        final Sql pay = new Sql("UPDATE " + place.in("orders") + " SET status = 'paid' WHERE id = 42");

        Everywhere() {
            guard.schema().installSchema();
            place.execute("CREATE TABLE " + place.in("orders")
                    + " (id BIGINT PRIMARY KEY, status VARCHAR(20), last_fence BIGINT DEFAULT 0 NOT NULL)");
            place.execute("INSERT INTO " + place.in("orders") + " (id, status) VALUES (42, 'open')");
            try (Connection connection = place.connect()) {
                GuardedTables.install(
                        connection,
                        GuardedTable.of(place.in("orders"), "id"),
                        place.options().table());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        abstract GuardPlace newPlace();

        @AfterEach
        void close() {
            place.close();
        }

        @Test
        void isWrittenByTheGuardAlsoAfterAFencedTableInTheSameTransaction() throws SQLException {
            assertThat(guard.<Integer, SQLException>call("another", stamp(3), connection -> {
                        orders.claim(connection, 42, stamp(3));
                        orders.update(connection, 42, stamp(3), Columns.set("status", "sent"));
                        return pay.run(connection);
                    }))
                    .isEqualTo(1);

            try (Connection connection = place.connect()) {
                SQLException missing = catchThrowableOfType(SQLException.class, () -> pay.run(connection));
                assertThat(missing.getMessage()).contains("missing token");
            }
        }

        @Test
        void isWrittenByTheGuardsAndByNobodyWithoutAStamp() throws SQLException {
            assertThat(guard.<Integer, RuntimeException>call("orders/42", stamp(3), pay::run))
                    .isEqualTo(1);

            try (Connection connection = place.connect()) {
                SQLException missing = catchThrowableOfType(SQLException.class, () -> pay.run(connection));
                assertThat(missing.getMessage()).contains("missing token");
                assertThat(orders.update(connection, 42, stamp(4), Columns.set("status", "sent")))
                        .isTrue();
            }
            try (Connection connection = place.begin()) {
                orders.claim(connection, 42, stamp(5));
                orders.put(connection, 43, stamp(5), Columns.set("status", "new"));
                assertThat(orders.delete(connection, 43, stamp(5))).isTrue();
                orders.insert(connection, 43, stamp(5), Columns.set("status", "new"));
                connection.commit();
                SQLException missing = catchThrowableOfType(SQLException.class, () -> pay.run(connection));
                assertThat(missing.getMessage()).contains("missing token");
                connection.rollback();
            }
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guard.write("orders/42", stamp(4), pay::run));
        }
    }

    @Nested
    class OnPostgres extends Everywhere {

        @Override
        GuardPlace newPlace() {
            return new PostgresPlace();
        }

        @Test
        void isWrittenInATransactionThatWasEntered() throws SQLException {
            try (Connection connection = place.begin()) {
                guard.enter(connection, "orders/42", stamp(3));
                assertThat(pay.run(connection)).isEqualTo(1);
                connection.commit();
            }
        }
    }

    @Nested
    class OnSqlite extends Everywhere {

        @Override
        GuardPlace newPlace() {
            SqlitePlace place = new SqlitePlace();
            ((SQLiteDataSource) place.source()).setEnforceForeignKeys(true);
            return place;
        }
    }
}
