package io.fenceline.jdbc.trigger;

import static io.fenceline.jdbc.guard.Columns.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.guard.FencedTable;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One table with triggers, written through our own guards. */
@Tag("R8")
class TriggersWithGuardsTest {

    static Stream<Arguments> places() {
        return Stream.of(FenceRule.values())
                .flatMap(rule -> Stream.<Supplier<TriggerPlace>>of(PostgresPlace::new, SqlitePlace::new)
                        .map(place -> Arguments.of(rule, place)));
    }

    private static FenceStamp stamp(long token) {
        return GuardedOrders.stamp(token);
    }

    @ParameterizedTest
    @MethodSource("places")
    void letsTheLibrarysOwnGuardsWriteToATableWithTriggers(FenceRule rule, Supplier<TriggerPlace> places)
            throws Exception {
        try (TriggerPlace place = places.get()) {
            place.sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, last_fence BIGINT)");
            place.sql("INSERT INTO orders VALUES (42, 'new', 0)");
            place.install(GuardedTable.of("orders", "id").withRule(rule));
            GuardOptions options =
                    GuardOptions.defaults().withTable(place.fences()).withRule(rule);
            JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), options);
            FencedTable orders = FencedTable.of("orders", "id", "last_fence").with(options);

            guard.claim("orders/42", stamp(34));
            guard.call("orders/42", stamp(34), connection -> {
                GuardedOrders.update(connection, "UPDATE orders SET status = 'a' WHERE id = 42");
                return GuardedOrders.update(connection, "UPDATE orders SET status = 'b' WHERE id = 42");
            });
            place.with(connection -> {
                assertThat(orders.update(connection, 42, stamp(35), set("status", "c")))
                        .isTrue();
                connection.setAutoCommit(false);
                orders.insert(connection, 43, stamp(35), set("status", "d"));
                connection.commit();
                assertThat(orders.delete(connection, 43, stamp(36))).isTrue();
                connection.commit();
                return null;
            });

            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guard.write(
                            "orders/42",
                            stamp(34),
                            connection -> GuardedOrders.update(
                                    connection, "UPDATE orders SET status = 'late' WHERE id = 42")));
            assertThatExceptionOfType(TriggerPlace.Refused.class)
                    .isThrownBy(() -> place.sql("UPDATE orders SET status = 'plain'"))
                    .withMessageContaining("missing token");
            String left = place.with(connection -> TriggerMatrix.text(connection, "SELECT id || status FROM orders"));
            assertThat(left).isEqualTo("42c ");
        }
    }

    /** SQLite notes what a transaction has written only from its stamp on, and forgets it with the stamp. */
    @ParameterizedTest
    @MethodSource("places")
    void letsAGrantWriteInATransactionThatShowsItsStampFirst(FenceRule rule, Supplier<TriggerPlace> places)
            throws Exception {
        try (TriggerPlace place = places.get()) {
            place.sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT)");
            place.sql("INSERT INTO orders VALUES (42, 'new')");
            place.install(GuardedTable.of("orders", "id").withRule(rule));
            JdbcFenceGuard guard = JdbcFenceGuard.on(
                    place.source(),
                    GuardOptions.defaults().withTable(place.fences()).withRule(rule));

            String left = place.with(connection -> {
                connection.setAutoCommit(false);
                SessionStamp.set(connection, stamp(34));
                guard.enter(connection, "orders/42", stamp(34));
                GuardedOrders.update(connection, "UPDATE orders SET status = 'a' WHERE id = 42");
                GuardedOrders.update(connection, "UPDATE orders SET status = 'b' WHERE id = 42");
                SessionStamp.clear(connection);
                connection.commit();
                return TriggerMatrix.text(connection, "SELECT id || status FROM orders");
            });

            assertThat(left).isEqualTo("42b ");
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void showsTheGuardsStampAgainAfterAWriteByRow(FenceRule rule, Supplier<TriggerPlace> places) throws Exception {
        try (TriggerPlace place = places.get()) {
            place.sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, last_fence BIGINT)");
            place.sql("INSERT INTO orders VALUES (42, 'new', 0), (43, 'new', 0)");
            place.install(GuardedTable.of("orders", "id").withRule(rule));
            GuardOptions options =
                    GuardOptions.defaults().withTable(place.fences()).withRule(rule);
            FencedTable orders = FencedTable.of("orders", "id", "last_fence").with(options);

            JdbcFenceGuard.on(place.source(), options).write("orders/42", stamp(34), connection -> {
                orders.update(connection, 43, stamp(34), set("status", "by row"));
                GuardedOrders.update(connection, "UPDATE orders SET status = 'plain' WHERE id = 42");
            });

            String left = place.with(
                    connection -> TriggerMatrix.text(connection, "SELECT id || status FROM orders ORDER BY id"));
            assertThat(left).isEqualTo("42plain 43by row ");
        }
    }

    /** Drivers know nothing of it, or not all that they should. */
    @ParameterizedTest
    @MethodSource("places")
    @Tag("R11")
    void aTransactionThatSqlBeganIsLeftToIt(FenceRule rule, Supplier<TriggerPlace> places) {
        try (TriggerPlace place = places.get()) {
            place.sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT)");
            place.sql("INSERT INTO orders VALUES (42, 'new'), (43, 'new')");
            place.with(callers -> {
                GuardedOrders.update(callers, "BEGIN");
                GuardedOrders.update(callers, "UPDATE orders SET status = 'undone' WHERE id = 42");
                assertThatIllegalStateException()
                        .isThrownBy(() -> StampedWrites.on(BoundDataSource.to(callers))
                                .write(stamp(34), connection -> GuardedOrders.update(connection, "DELETE FROM orders")))
                        .withMessageContaining("SessionStamp.set");
                GuardedTables.install(callers, GuardedTable.of("orders", "id").withRule(rule), place.fences());
                SessionStamp.set(callers, stamp(34));
                GuardedOrders.update(callers, "DELETE FROM orders WHERE id = 43");
                return GuardedOrders.update(callers, "ROLLBACK");
            });

            String left = place.with(
                    connection -> TriggerMatrix.text(connection, "SELECT id || status FROM orders ORDER BY id"));
            assertThat(left).isEqualTo("42new 43new ");
            place.sql("DELETE FROM orders");
        }
    }
}
