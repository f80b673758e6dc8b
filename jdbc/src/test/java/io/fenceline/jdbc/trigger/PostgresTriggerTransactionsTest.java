package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.trigger.GuardedTable.Mode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of PostgreSQL under triggers: idle ones, repeated writes, and writers that overlap. */
@Tag("R8")
class PostgresTriggerTransactionsTest extends GuardedOrders {

    @Override
    TriggerPlace newPlace() {
        return new PostgresPlace();
    }

    /** The client is stopped as by SIGSTOP: it says no more, and its connection stays. */
    @Test
    @Tag("R4")
    void freesTheFencesOfAWriterThatStopsInItsTransaction() throws Exception {
        place.install(ORDERS);
        try (Connection stopped = place.source().getConnection()) {
            stopped.setAutoCommit(false);
            SessionStamp.set(stopped, stamp(34));
            update(stopped, "UPDATE orders SET status = 'half' WHERE id = 42");
            assertThat(setting(stopped)).isEqualTo("10s");
            update(stopped, "SET LOCAL idle_in_transaction_session_timeout = '1s'");

            JdbcFenceGuard.on(place.source(), GuardOptions.defaults().withTable(place.fences()))
                    .claim("orders/42", stamp(35)); // waits for the server to end the other

            assertThat(catchThrowable(stopped::commit)).isInstanceOf(SQLException.class);
        }
        assertThat(state()).isEqualTo("42 new, 43 new");
    }

    @Test
    void letsADeferredTriggerWriteAtTheCommitUnderTheStampOfItsTransaction() {
        place.sql("CREATE TABLE jobs (id bigint)");
        place.sql("CREATE FUNCTION finish() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN UPDATE orders SET status = 'done' WHERE id = NEW.id; RETURN NULL; END$$");
        place.sql("CREATE CONSTRAINT TRIGGER finish AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION finish()");
        place.install(ORDERS);

        sql(34, "INSERT INTO jobs VALUES (42)");

        assertThat(state()).isEqualTo("42 done, 43 new");
        refused(StaleTokenException.class, () -> sql(33, "INSERT INTO jobs VALUES (42)"));
    }

    @Test
    void leavesALimitForIdleTransactionsThatTheUserHasSet() throws Exception {
        place.install(ORDERS);
        try (Connection connection = place.source().getConnection()) {
            update(connection, "SET idle_in_transaction_session_timeout = '3s'");
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'x' WHERE id = 42");
            assertThat(setting(connection)).isEqualTo("3s");
        }
    }

    private static String setting(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW idle_in_transaction_session_timeout")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    @Tag("R2")
    void letsAGrantChangeARowInOneTransactionAlsoAcrossSavepoints() {
        place.install(ORDERS.withRule(FenceRule.ONCE));
        place.with(connection -> {
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'a' WHERE id = 43");
            update(connection, "UPDATE orders SET status = 'new' WHERE id = 43");
            Savepoint undone = connection.setSavepoint();
            update(connection, "UPDATE orders SET status = 'a' WHERE id = 42");
            connection.rollback(undone);
            connection.setSavepoint();
            update(connection, "UPDATE orders SET status = 'b' WHERE id = 42");
            connection.setSavepoint();
            update(connection, "UPDATE orders SET status = 'c' WHERE id = 42");
            connection.commit();
            return null;
        });
        refused(StaleTokenException.class, () -> sql(34, "UPDATE orders SET status = 'd' WHERE id = 42"));
        assertThat(state()).isEqualTo("42 c, 43 new");
    }

    /** Work that is delivered twice claims before it reads, also the second time. */
    @Test
    @Tag("R2")
    void takesAClaimInTheSameTransactionForNoWrite() {
        place.install(ORDERS.withRule(FenceRule.ONCE));
        JdbcFenceGuard guard =
                JdbcFenceGuard.on(place.source(), GuardOptions.defaults().withTable(place.fences()));
        for (String status : List.of("paid", "paid again")) {
            place.with(connection -> {
                connection.setAutoCommit(false);
                guard.claim(connection, "orders/42", stamp(34));
                guard.claim(connection, "orders/42", stamp(34));
                SessionStamp.set(connection, stamp(34));
                if (status.equals("paid")) {
                    update(connection, "UPDATE orders SET status = 'paid' WHERE id = 42");
                    update(connection, "UPDATE orders SET status = 'paid' WHERE id = 42");
                    connection.commit();
                } else {
                    assertThat(catchThrowable(
                                    () -> update(connection, "UPDATE orders SET status = 'paid again' WHERE id = 42")))
                            .hasMessageContaining("stale token");
                }
                return null;
            });
        }
        assertThat(state()).isEqualTo("42 paid, 43 new");
    }

    /** age() counts from what it saw first in a transaction, which is before those that others began meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT age('3'::xid)", "SELECT pg_current_xact_id()"})
    @Tag("R2")
    void tellsItsOwnWritesFromThoseOfOthersThatBeganAfterTheTransaction(String first) {
        place.install(ORDERS.withRule(FenceRule.ONCE));
        place.with(connection -> {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(first);
            }
            sql(33, "UPDATE orders SET status = 'x' WHERE id = 43");
            sql(34, "UPDATE orders SET status = 'x' WHERE id = 43");
            sql(34, "UPDATE orders SET status = 'paid' WHERE id = 42");
            SessionStamp.set(connection, stamp(34));
            assertThat(catchThrowable(() -> update(connection, "UPDATE orders SET status = 'y' WHERE id = 42")))
                    .hasMessageContaining("stale token");
            return null;
        });
        assertThat(state()).isEqualTo("42 paid, 43 x");
    }

    /** It keeps the last 32 bits of an id, which 2^31 transactions later are those of an id that nobody has yet. */
    @Test
    void takesARowThatWasFrozenLongAgoForNoneOfItsOwn() {
        place.install(ORDERS);
        assertThat(all("SELECT fenceline_fences_own(((pg_current_xact_id()::text::bigint + 1000000000)"
                        + " % 4294967296)::text::xid)"))
                .isEqualTo("f");
    }

    /** Counting would be a refusal if two writers at REPEATABLE READ could not count at once. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void observesWritersThatOverlapWithoutLettingThemWaitOrFail(int isolation) {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        place.sql("INSERT INTO orders VALUES (44, 'new')");
        place.with(first -> place.with(second -> {
            for (Connection one : List.of(first, second)) {
                one.setAutoCommit(false);
                one.setTransactionIsolation(isolation);
                update(one, "SET LOCAL lock_timeout = '5s'");
            }
            update(first, "INSERT INTO orders VALUES (100, 'first')");
            update(second, "INSERT INTO orders VALUES (200, 'second')");
            update(first, "INSERT INTO orders VALUES (101, 'first')");
            first.commit();
            update(second, "INSERT INTO orders VALUES (201, 'second')");
            second.commit();
            return null;
        }));

        assertThat(observed())
                .singleElement()
                .satisfies(kind -> assertThat(kind.seen()).isEqualTo(5));
    }

    /** Each look would go through all versions that the counts before it have left. */
    @Test
    void observesManyRowsOfATransactionWithoutLookingForTheirCountEachTime() {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        place.sql("VACUUM fenceline_observed"); // the planner knows then that it is empty
        place.with(connection -> {
            connection.setAutoCommit(false);
            update(connection, "INSERT INTO orders SELECT id, 'new' FROM generate_series(1000, 1099) AS id");
            update(connection, "UPDATE orders SET status = 'old' WHERE id >= 1000");
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT pg_stat_get_xact_numscans('fenceline_observed'::regclass)")) {
                row.next();
                assertThat(row.getInt(1)).isLessThan(10);
            }
            connection.commit();
            return null;
        });

        assertThat(observed()).extracting(ObservedWrites::seen).containsExactlyInAnyOrder(100L, 100L);
        assertThat(all("SELECT count(*) FROM fenceline_observed")).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void letsNoStaleWriterThroughWhoseSnapshotIsOlderThanTheClaim(int isolation) {
        place.install(ORDERS);
        sql(33, "UPDATE orders SET status = 'of 33'");
        place.with(stale -> {
            stale.setAutoCommit(false);
            stale.setTransactionIsolation(isolation);
            SessionStamp.set(stale, stamp(33));
            update(stale, "UPDATE orders SET status = 'read' WHERE id = 43");
            sql(34, "UPDATE orders SET status = 'of 34' WHERE id = 42");
            assertThat(catchThrowable(() -> update(stale, "UPDATE orders SET status = 'late' WHERE id = 42")))
                    .isInstanceOf(SQLException.class);
            stale.rollback();
            return null;
        });
        assertThat(state()).isEqualTo("42 of 34, 43 of 33");
    }

    /** From observing to refusing, while a report reads the table and others write it. */
    @Test
    void changesTheGuardOfATableThatIsInUse() throws SQLException {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        try (Connection report = place.source().getConnection()) {
            report.setAutoCommit(false);
            update(report, "UPDATE orders SET status = 'observed' WHERE id = 42");

            place.install(ORDERS);

            complaint("DELETE FROM orders WHERE id = 43");
            report.commit();
        }
        assertThat(state()).isEqualTo("42 observed, 43 new");
    }

    /** Whoever uses the table meanwhile queues behind the removal. */
    @Test
    void givesUpToRemoveTheGuardOfATableThatIsInUse() throws SQLException {
        place.install(ORDERS);
        try (Connection report = place.source().getConnection()) {
            report.setAutoCommit(false);
            try (Statement statement = report.createStatement()) {
                statement.executeQuery("SELECT FROM orders").close();
            }

            Throwable refused = catchThrowable(() -> place.remove("orders"));

            assertThat(((TriggerPlace.Refused) refused).sqlState()).isEqualTo("55P03");
        }
        complaint("DELETE FROM orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void guardsAChildThatIsMadeDuringTheInstallation(String isolation) throws Exception {
        Thread installation = new Thread(() -> place.with(connection -> {
            update(connection, "SET default_transaction_isolation = '" + isolation + "'");
            GuardedTables.install(connection, ORDERS, place.fences());
            return null;
        }));
        try (Connection other = place.source().getConnection()) {
            other.setAutoCommit(false);
            update(other, "CREATE TABLE child () INHERITS (orders)");
            installation.start();
            while (all("SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass")
                    .isEmpty()) {
                Thread.sleep(10);
            }
            other.commit();
        }
        installation.join();

        complaint("INSERT INTO child VALUES (1)");
    }

    /** A function keeps the types of columns for as long as the session lasts. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (id int); ALTER TABLE t ALTER id TYPE bigint",
                "CREATE TABLE t (id int, y int) PARTITION BY RANGE (y); CREATE TABLE part PARTITION OF t DEFAULT;"
                        + " ALTER TABLE t ALTER id TYPE bigint",
                "CREATE TABLE whole (id int, y int) PARTITION BY RANGE (y); CREATE TABLE t PARTITION OF whole DEFAULT;"
                        + " ALTER TABLE whole ALTER id TYPE bigint",
                "CREATE TABLE parent (id int); CREATE TABLE t () INHERITS (parent); CREATE TABLE child () INHERITS (t);"
                        + " ALTER TABLE parent ALTER id TYPE bigint",
                "CREATE TABLE parent (y int); CREATE TABLE t (id int) INHERITS (parent); ALTER TABLE t ALTER id TYPE bigint"
            })
    void letsSessionsWriteThatWroteBeforeAKeyGotAnotherType(String statements) throws SQLException {
        int last = statements.lastIndexOf(';');
        place.sql(statements.substring(0, last));
        place.install(GuardedTable.of("t", "id"));
        try (Connection session = place.source().getConnection()) {
            session.setAutoCommit(false);
            for (String change : List.of("", statements.substring(last + 1))) {
                place.sql(change);
                SessionStamp.set(session, stamp(34));
                update(session, "INSERT INTO t (id) VALUES (1)");
                session.commit();
            }
            SessionStamp.set(session, stamp(34));
            update(session, "UPDATE t SET id = 3000000000");
            session.commit();
        }
    }
}
