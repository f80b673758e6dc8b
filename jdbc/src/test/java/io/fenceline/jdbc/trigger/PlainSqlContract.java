package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.trigger.GuardedTable.Mode;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs meet that never heard of Fenceline, and what those meet that have. */
@Tag("R8")
abstract class PlainSqlContract extends GuardedOrders {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders VALUES (44, 'x')",
                "UPDATE orders SET status = 'x' WHERE id = 42",
                "UPDATE orders SET id = 44 WHERE id = 42",
                "DELETE FROM orders WHERE id = 42",
                "DELETE FROM orders",
                "INSERT INTO orders SELECT id + 100, status FROM orders"
            })
    void refusesAWriteWithoutAStamp(String statement) {
        place.install(ORDERS);

        TriggerPlace.Refused refused = complaint(statement);

        assertThat(refused).hasMessageContaining("fenceline: missing token").hasMessageContaining("orders/");
        assertThat(TriggerRefusals.of(refused)).containsInstanceOf(MissingTokenException.class);
        assertThat(state()).isEqualTo("42 new, 43 new");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO orders VALUES (41, 'x')",
                "UPDATE orders SET status = 'x'",
                "UPDATE orders SET id = 50 WHERE id = 42",
                "UPDATE orders SET id = 41 WHERE id = 43",
                "DELETE FROM orders",
            })
    void refusesAStaleStampAndUndoesTheWholeStatement(String statement) {
        place.install(ORDERS);
        sql(34, "UPDATE orders SET status = 'paid' WHERE id = 42", "INSERT INTO orders VALUES (41, 'x')");
        sql(34, "DELETE FROM orders WHERE id = 41");

        StaleTokenException refusal = refused(StaleTokenException.class, () -> sql(33, statement));

        assertThat(refusal.presented()).isEqualTo(stamp(33));
        assertThat(refusal.highest()).isEqualTo(FencingToken.of(34));
        assertThat(refusal.resource()).isIn("orders/41", "orders/42");
        assertThat(state()).isEqualTo("42 paid, 43 new");
    }

    @Test
    void refusesARowWithoutAKeyOrWithOneThatIsTooLong() {
        place.sql("CREATE TABLE things (k VARCHAR(1000), v INTEGER)");
        place.install(GuardedTable.of("things", "k"));
        String insertLong = "INSERT INTO things VALUES ('" + "x".repeat(506) + "', 1)"; // things/ has 7
        assertThatThrownBy(() -> sql(34, insertLong)).hasStackTraceContaining("malformed token");
        assertThatThrownBy(() -> sql(34, "INSERT INTO things VALUES (NULL, 1)"))
                .hasStackTraceContaining("a row whose key is null");
        assertThat(all("SELECT count(*) FROM things")).isEqualTo("0");

        place.install(GuardedTable.of("things", "k").withMode(Mode.OBSERVE));
        sql(34, "INSERT INTO things VALUES (NULL, 1)", insertLong);
        assertThat(observed())
                .extracting(ObservedWrites::reason, ObservedWrites::seen)
                .containsExactly(tuple("malformed", 2L));
    }

    @Test
    void refusesAStampOfAnotherLock() {
        place.install(ORDERS);
        sql(34, "UPDATE orders SET status = 'paid' WHERE id = 42");
        FenceStamp other = new FenceStamp(LockKey.of("other\n\\lock"), FencingToken.of(99));

        ForeignTokenException refusal =
                refused(ForeignTokenException.class, () -> stamped(other, "DELETE FROM orders WHERE id = 42"));

        assertThat(refusal.presented()).isEqualTo(other);
        assertThat(refusal.owner()).isEqualTo(stamp(1).key());
        assertThat(state()).isEqualTo("42 paid, 43 new");
    }

    @Test
    void letsAFreshStampWriteWhateverItLikes() {
        place.install(ORDERS);

        sql(
                34,
                "INSERT INTO orders VALUES (44, 'new')",
                "UPDATE orders SET status = 'paid'",
                "UPDATE orders SET id = 45 WHERE id = 44",
                "DELETE FROM orders WHERE id = 43");
        sql(35, "UPDATE orders SET status = 'sent'");

        assertThat(state()).isEqualTo("42 sent, 45 sent");
    }

    @Test
    void keepsTheFenceOfADeletedRow() {
        place.install(ORDERS);
        sql(34, "DELETE FROM orders WHERE id = 42");

        refused(StaleTokenException.class, () -> sql(33, "INSERT INTO orders VALUES (42, 'back from the dead')"));
        refused(MissingTokenException.class, () -> translated("INSERT INTO orders VALUES (42, 'as well')"));

        assertThat(state()).isEqualTo("43 new");
    }

    private void translated(String statement) {
        try {
            place.sql(statement);
        } catch (TriggerPlace.Refused e) {
            throw TriggerRefusals.of(e).orElseThrow(() -> e);
        }
    }

    @Test
    void honoursAClaim() {
        place.install(ORDERS);
        JdbcFenceGuard.on(place.source(), GuardOptions.defaults().withTable(place.fences()))
                .claim(ORDERS.resource("42"), stamp(34));

        refused(StaleTokenException.class, () -> sql(33, "UPDATE orders SET status = 'x' WHERE id = 42"));
        sql(33, "UPDATE orders SET status = 'paid' WHERE id = 43");

        assertThat(state()).isEqualTo("42 new, 43 paid");
    }

    @Test
    void leavesNoStampOnAConnection() {
        place.install(ORDERS);
        place.with(connection -> {
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'paid' WHERE id = 42");
            SessionStamp.clear(connection);
            connection.commit();
            SQLException next =
                    catchThrowableOfType(SQLException.class, () -> update(connection, "DELETE FROM orders"));
            assertThat(TriggerRefusals.of(next)).containsInstanceOf(MissingTokenException.class);
            connection.rollback();
            return null;
        });
        assertThat(state()).isEqualTo("42 paid, 43 new");
    }

    @Test
    void takesNoStampWhereItWouldBeGoneAtOnce() {
        place.install(ORDERS);
        place.with(connection -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> SessionStamp.set(connection, stamp(34)))
                    .withMessageContaining("setAutoCommit(false)");
            return null;
        });
    }

    @Test
    @Tag("R11")
    void isCommittedInNoTransactionOfSomebodyElse() {
        place.install(ORDERS);
        place.with(callers -> {
            callers.setAutoCommit(false);
            SessionStamp.set(callers, stamp(34));
            update(callers, "UPDATE orders SET status = 'undone' WHERE id = 42");
            assertThatIllegalStateException()
                    .isThrownBy(() -> StampedWrites.on(BoundDataSource.to(callers))
                            .write(stamp(34), connection -> update(connection, "DELETE FROM orders WHERE id = 43")))
                    .withMessageContaining("SessionStamp.set");
            callers.rollback();
            return null;
        });
        assertThat(state()).isEqualTo("42 new, 43 new");
    }

    @Test
    @Tag("R9")
    void isReadThroughTheExceptionOfALibrary() {
        place.install(ORDERS);
        sql(34, "UPDATE orders SET status = 'paid'");

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> StampedWrites.on(place.source()).write(stamp(33), connection -> {
                    try {
                        update(connection, "DELETE FROM orders");
                    } catch (SQLException e) {
                        throw new IllegalStateException("statement failed", e);
                    }
                }));
        assertThat(state()).isEqualTo("42 paid, 43 paid");
    }

    @Test
    void isReadThroughABatch() {
        place.install(ORDERS);
        sql(34, "UPDATE orders SET status = 'paid' WHERE id = 43");

        StaleTokenException refusal = refused(StaleTokenException.class, () -> {
            try {
                StampedWrites.on(place.source()).call(stamp(33), connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("UPDATE orders SET status = 'x' WHERE id = ?")) {
                        for (int id = 42; id <= 43; id++) {
                            statement.setInt(1, id);
                            statement.addBatch();
                        }
                        return statement.executeBatch().length;
                    }
                });
            } catch (SQLException e) {
                throw new TriggerPlace.Refused(e);
            }
        });

        assertThat(refusal.resource()).isEqualTo("orders/43");
        assertThat(state()).isEqualTo("42 new, 43 paid");
    }

    @Test
    @Tag("R2")
    void letsAGrantChangeARowOnceWhereThatIsTheRule() {
        place.install(ORDERS.withRule(FenceRule.ONCE));

        sql(34, "UPDATE orders SET status = 'paid'");

        assertThat(refused(StaleTokenException.class, () -> sql(34, "UPDATE orders SET status = 'x'"))
                        .gap())
                .isZero();
        sql(35, "UPDATE orders SET id = 50 WHERE id = 42");
        assertThat(state()).isEqualTo("43 paid, 50 paid");
    }

    @Test
    void observesWithoutRefusing() {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        assertThat(observed()).isEmpty();

        place.sql("UPDATE orders SET status = 'plain'");
        place.sql("INSERT INTO orders VALUES (44, 'plain')");
        sql(34, "UPDATE orders SET status = 'fresh'");
        sql(33, "UPDATE orders SET status = 'stale' WHERE id = 42");
        stamped(new FenceStamp(LockKey.of("other"), FencingToken.of(99)), "DELETE FROM orders WHERE id = 43");

        assertThat(state()).isEqualTo("42 stale, 44 fresh");
        assertThat(observed())
                .extracting(ObservedWrites::operation, ObservedWrites::reason, ObservedWrites::seen)
                .containsExactly(
                        tuple("DELETE", "foreign", 1L),
                        tuple("INSERT", "missing", 1L),
                        tuple("UPDATE", "missing", 2L),
                        tuple("UPDATE", "stale", 1L));
        assertThat(observed()).allSatisfy(kind -> {
            assertThat(kind.table()).endsWith("orders");
            assertThat(kind.lastAt()).isAfterOrEqualTo(kind.firstAt());
        });
        assertThat(all("SELECT highest FROM " + place.fences() + " WHERE resource = 'orders/42'"))
                .as("what a stale write leaves")
                .isEqualTo("34");
        ObservedWrites stale = observed().get(3);
        assertThat(stale.presented()).contains(FencingToken.of(33));
        assertThat(stale.highest()).contains(FencingToken.of(34));
    }

    @Test
    void isInstalledAgainInAnotherModeAndRemoved() {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        place.install(ORDERS.withMode(Mode.OBSERVE));
        sql(34, "UPDATE orders SET status = 'paid' WHERE id = 42");
        place.sql("UPDATE orders SET status = 'plain' WHERE id = 43");

        place.install(ORDERS);
        complaint("UPDATE orders SET status = 'x' WHERE id = 43");
        refused(StaleTokenException.class, () -> sql(33, "DELETE FROM orders WHERE id = 42"));
        assertThat(observed()).hasSize(1);

        place.remove("orders");
        place.remove("orders");
        place.sql("UPDATE orders SET status = 'unguarded'");
        assertThat(state()).isEqualTo("42 unguarded, 43 unguarded");

        place.install(ORDERS);
        refused(StaleTokenException.class, () -> sql(33, "DELETE FROM orders WHERE id = 42"));
    }

    @Test
    void namesRowsOfSeveralColumnsSoThatNoTwoAreOne() {
        place.sql("CREATE TABLE \"Order \"\"lines\" (\"the tenant\" TEXT, line NUMERIC(9, 2), x TEXT,"
                + " PRIMARY KEY (\"the tenant\", line))");
        GuardedTable table = GuardedTable.of("\"Order \"\"lines\"", "\"the tenant\"", "line");
        place.install(table);

        sql(34, "INSERT INTO \"Order \"\"lines\" VALUES ('a/b', 1, 'x')");
        sql(33, "INSERT INTO \"Order \"\"lines\" VALUES ('a', 1, 'x')");

        assertThat(table.resource("a/b", "1")).isEqualTo("order \"lines/a%2Fb/1");
        assertThat(all("SELECT resource FROM fenceline_fences ORDER BY 1"))
                .isEqualTo("order \"lines/a%2Fb/1, order \"lines/a/1");
        refused(
                StaleTokenException.class,
                () -> sql(33, "UPDATE \"Order \"\"lines\" SET x = 'y' WHERE \"the tenant\" = 'a/b'"));
        place.remove("\"Order \"\"lines\"");
        place.sql("DELETE FROM \"Order \"\"lines\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "orders; DROP TABLE orders", "\"x", "a..b", "orders.", "1st"})
    void hasNoTableWhoseNameIsNoName(String bad) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> place.install(GuardedTable.of(bad, "id")))
                .withMessageContaining("'" + bad + "'");
    }

    @Test
    void namesWhatIsNotThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> place.install(GuardedTable.of("ordres", "id")))
                .withMessageContaining("no table ordres");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> place.install(GuardedTable.of("orders", "id", "number")))
                .withMessageContaining("orders has no column number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> place.remove("ordres"))
                .withMessageContaining("no table ordres");
        place.sql("UPDATE orders SET status = 'unguarded'");
    }
}
