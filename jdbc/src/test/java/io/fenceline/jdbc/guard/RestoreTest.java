package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.FencedTableTest.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.Holder;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The steps of "After a restore" in docs/operating.md, on PostgreSQL, for a table of fences and a fence in a column. */
@Tag("R12")
@Timeout(60)
class RestoreTest {

    private static final Holder OPERATOR = Holder.of("ann");

    @Test
    void holdersFromBeforeARestoreAreShutOutOfTablesAndColumnsByABump() throws SQLException {
        try (PostgresPlace place = new PostgresPlace();
                JdbcLockBackend backend = JdbcLockBackend.on(
                        place.source(), JdbcOptions.defaults().withTable(place.in("fenceline_lock")))) {
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
            JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
            guard.schema().installSchema();
            String data = place.in("orders");
            place.execute("CREATE TABLE " + data
                    + " (id bigint PRIMARY KEY, status text, last_fence bigint DEFAULT 0 NOT NULL)");
            place.execute("INSERT INTO " + data + " (id, status) VALUES (42, 'open')");
            FencedTable orders = FencedTable.of(data, "id", "last_fence").with(place.options());
            Sql pay = new Sql("UPDATE " + data + " SET status = ?1 WHERE id = 42");

            writeBoth(place, guard, orders, pay, 100);
            String fences = place.in("fenceline_fences");
            for (String table : List.of(data, fences)) {
                place.execute("CREATE TABLE " + table + "_backup AS TABLE " + table);
            }
            writeBoth(place, guard, orders, pay, 4711);
            restore(place, data);
            restore(place, fences);
            assertThat(guard.check("jobs", stamp(200)).isAccepted())
                    .as("what a restored fence lets in")
                    .isTrue();

            FenceCatalog catalog = backend.ability(FenceCatalog.class).orElseThrow();
            catalog.raise("orders/42", stamp(4712), OPERATOR); // fenceline guard bump --at-least 4712 orders/42
            catalog.raise("jobs", stamp(4712), OPERATOR);

            for (long old : List.of(200L, 4711L)) {
                try (Connection connection = place.connect()) {
                    assertThatExceptionOfType(StaleTokenException.class)
                            .isThrownBy(() -> orders.update(connection, 42, stamp(old), Columns.set("status", "old")));
                }
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> guard.write("jobs", stamp(old), connection -> pay.run(connection, "old")));
            }
            writeBoth(place, guard, orders, pay, 4712);
        }
    }

    private static void writeBoth(PostgresPlace place, JdbcFenceGuard guard, FencedTable orders, Sql pay, long token)
            throws SQLException {
        try (Connection connection = place.connect()) {
            assertThat(orders.update(connection, 42, stamp(token), Columns.set("status", "by " + token)))
                    .isTrue();
        }
        assertThat(guard.<Integer, RuntimeException>call(
                        "jobs", stamp(token), connection -> pay.run(connection, "by " + token)))
                .isEqualTo(1);
    }

    private static void restore(PostgresPlace place, String table) {
        place.execute("ALTER TABLE " + table + " DISABLE TRIGGER USER");
        place.execute("DELETE FROM " + table);
        place.execute("INSERT INTO " + table + " SELECT * FROM " + table + "_backup");
        place.execute("ALTER TABLE " + table + " ENABLE TRIGGER USER");
    }
}
