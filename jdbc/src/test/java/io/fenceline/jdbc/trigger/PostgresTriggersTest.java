package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.guard.MissingTokenException;
import io.fenceline.jdbc.trigger.GuardedTable.Mode;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresTriggersTest extends PlainSqlContract {

    @Override
    TriggerPlace newPlace() {
        return PostgresPlace.pooled();
    }

    private String schema() {
        return ((PostgresPlace) place).schema();
    }

    @Test
    void tellsEachRefusalByItsSqlState() {
        place.install(ORDERS);
        sql(34, "UPDATE orders SET status = 'paid' WHERE id = 42");

        assertThat(complaint("DELETE FROM orders WHERE id = 42").sqlState()).isEqualTo("ZF003");
        assertThat(complaint("TRUNCATE orders").sqlState()).isEqualTo("ZF003");
        assertThat(complaint(stamped(33, "the \"lock\" of ''orders''") + "DELETE FROM orders")
                        .sqlState())
                .isEqualTo("ZF001");
        assertThat(complaint(stamped(99, "other") + "DELETE FROM orders").sqlState())
                .isEqualTo("ZF002");
    }

    /** What plain SQL says before it writes, in the same transaction. */
    static String stamped(long token, String lockKey) {
        return "DO $$ BEGIN PERFORM fenceline_stamp(" + token + ", '" + lockKey + "'); END $$; ";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"34", "34 ", " 34 k", "x k", "0 k", "-1 k", "900000000000001 k", "1234567890123456 k", "1:2:3 k"
            })
    void refusesAStampThatIsNone(String stamp) {
        place.install(ORDERS);

        TriggerPlace.Refused refused = complaint("SET LOCAL fenceline.stamp = '" + stamp + "'; DELETE FROM orders");

        assertThat(refused.sqlState()).isEqualTo("ZF004");
        assertThat(state()).isEqualTo("42 new, 43 new");
    }

    @Test
    void tellsWhoIsNotASuperuserWhatThereIsToDoLater() throws SQLException {
        place.sql("CREATE ROLE clerk; GRANT USAGE, CREATE ON SCHEMA " + schema() + " TO clerk");
        try (Connection connection = place.source().getConnection()) {
            update(connection, "SET ROLE clerk; CREATE TABLE notes (id int PRIMARY KEY)");
            assertThat(GuardedTables.install(connection, GuardedTable.of("notes", "id"), place.fences()))
                    .singleElement()
                    .asString()
                    .startsWith("clerk is not a superuser: run guard install again");

            update(connection, "RESET ROLE");
            assertThat(GuardedTables.install(connection, GuardedTable.of("notes", "id"), place.fences()))
                    .isEmpty();

            update(connection, "SET ROLE clerk");
            assertThat(GuardedTables.install(connection, GuardedTable.of("notes", "id"), place.fences()))
                    .isEmpty();
            update(connection, "RESET ROLE");
        } finally {
            place.sql("DROP OWNED BY clerk CASCADE; DROP ROLE clerk");
        }
    }

    /** As {@link io.fenceline.LockKey} does. */
    @Test
    @Tag("R10")
    void namesALockByItsComposedText() {
        place.install(ORDERS);
        place.sql(stamped(34, "caf\u00e9") + "UPDATE orders SET status = 'paid' WHERE id = 42");

        place.sql(stamped(35, "cafe\u0301") + "UPDATE orders SET status = 'sent' WHERE id = 42");

        assertThat(state()).isEqualTo("42 sent, 43 new");
    }

    /** A pool, PgBouncer in transaction mode for instance, hands the session on to others with what is set in it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET fenceline.stamp = '34 k'",
                "SET fenceline.stamp = '1:34 k'",
                "SELECT set_config('fenceline.stamp', pg_current_xact_id() || ':34 k', false)"
            })
    @Tag("R11")
    void admitsNobodyByAStampThatAnotherTransactionHasLeftOnTheConnection(String leftOver) {
        place.install(ORDERS);
        place.with(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(leftOver);
            }
            SQLException refused =
                    catchThrowableOfType(SQLException.class, () -> update(connection, "DELETE FROM orders"));
            assertThat((Throwable) refused).isNotNull();
            assertThat(refused.getSQLState()).isEqualTo("ZF005");
            assertThat(TriggerRefusals.of(refused)).containsInstanceOf(MissingTokenException.class);
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'paid' WHERE id = 42");
            connection.commit();
            assertThat(catchThrowable(() -> update(connection, "DELETE FROM orders")))
                    .isInstanceOf(SQLException.class);
            connection.rollback();
            return null;
        });
        assertThat(state()).isEqualTo("42 paid, 43 new");
    }

    @Test
    @Tag("R11")
    void keepsAStampThatWasSetBeforeASavepointAndForgetsOneThatIsRolledBackWithIt() {
        place.install(ORDERS);
        place.with(connection -> {
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            Savepoint savepoint = connection.setSavepoint();
            update(connection, "UPDATE orders SET status = 'paid' WHERE id = 42");
            SessionStamp.set(connection, stamp(99));
            connection.rollback(savepoint);
            update(connection, "UPDATE orders SET status = 'sent' WHERE id = 42");
            connection.commit();
            return null;
        });
        assertThat(all("SELECT highest FROM fenceline_fences")).isEqualTo("34");
        assertThat(state()).isEqualTo("42 sent, 43 new");
    }

    @Test
    void refusesTruncateAlsoUnderAFreshStampAndCountsItWhereItObserves() {
        place.install(ORDERS);
        TriggerPlace.Refused refused = complaint(stamped(34, "k") + "TRUNCATE orders");
        assertThat((Throwable) refused).hasMessageContaining("use DELETE");
        assertThat(TriggerRefusals.of(refused).orElseThrow())
                .isInstanceOf(MissingTokenException.class)
                .hasMessageEndingWith("TRUNCATE looks at no row, so no token admits it; use DELETE");
        place.install(ORDERS.withMode(Mode.OBSERVE));

        place.sql("TRUNCATE orders");

        assertThat(state()).isEmpty();
        assertThat(observed())
                .singleElement()
                .satisfies(kind -> assertThat(kind.operation()).isEqualTo("TRUNCATE"));
    }

    /** For logical replication PostgreSQL refuses updates of published tables that have no key. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("R8")
    void observesWhereAllTablesArePublished(boolean installedBefore) {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        if (installedBefore) {
            place.sql("ALTER TABLE fenceline_observed REPLICA IDENTITY DEFAULT");
            place.install(ORDERS.withMode(Mode.OBSERVE));
        }
        place.sql("CREATE PUBLICATION of_" + schema() + " FOR TABLES IN SCHEMA " + schema());

        place.sql("UPDATE orders SET status = 'old'");
        place.sql("UPDATE orders SET status = 'older'");
        place.sql("TRUNCATE orders");

        assertThat(observed())
                .extracting(ObservedWrites::operation, ObservedWrites::seen)
                .containsExactlyInAnyOrder(tuple("UPDATE", 4L), tuple("TRUNCATE", 1L));
    }

    @Test
    @Tag("R8")
    void letsPassWhatItCannotCount() {
        place.install(ORDERS.withMode(Mode.OBSERVE));
        place.sql("DROP TABLE fenceline_observed");

        place.sql("UPDATE orders SET status = 'old'");
        place.sql("TRUNCATE orders");

        assertThat(state()).isEmpty();
    }

    @Test
    void refusesCopyAndMerge() {
        place.install(ORDERS);
        place.with(connection -> {
            assertThat(TriggerRefusals.of(catchThrowable(() -> connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyIn("COPY orders FROM STDIN", new StringReader("50\tcopied\n")))))
                    .isPresent();
            return null;
        });
        complaint("MERGE INTO orders USING (VALUES (42), (60)) AS v (id) ON v.id = orders.id"
                + " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'merged')");
        assertThat(state()).isEqualTo("42 new, 43 new");
    }

    @Test
    void letsARoleWriteThatMayNotTouchFences() {
        place.install(ORDERS);
        PostgresPlace.server()
                .execute(
                        "postgres",
                        "CREATE ROLE writer LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA " + schema()
                                + " TO writer; GRANT SELECT, INSERT, UPDATE, DELETE ON " + schema()
                                + ".orders TO writer");
        try {
            PGSimpleDataSource source = ((PostgresPlace) place).unpooled();
            source.setUser("writer");
            source.setPassword("secret");
            run(source, "BEGIN; " + stamped(34, "k") + "DELETE FROM orders; COMMIT");
            assertThat(state()).isEmpty();
        } finally {
            PostgresPlace.server().execute("postgres", "DROP OWNED BY writer; DROP ROLE writer");
        }
    }

    @Test
    void letsTheOwnerOfATableMakePartitionsOfIt() {
        PostgresPlace.server()
                .execute(
                        "postgres",
                        "CREATE ROLE owner LOGIN PASSWORD 'secret'; GRANT USAGE, CREATE ON SCHEMA " + schema()
                                + " TO owner; CREATE TABLE " + schema()
                                + ".part (id int PRIMARY KEY) PARTITION BY RANGE (id); ALTER TABLE " + schema()
                                + ".part OWNER TO owner");
        try {
            place.install(GuardedTable.of("part", "id"));
            PGSimpleDataSource source = ((PostgresPlace) place).unpooled();
            source.setUser("owner");
            source.setPassword("secret");

            run(source, "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (100)");
            run(source, "CREATE TABLE part_2 (id int PRIMARY KEY)");
            run(source, "ALTER TABLE part ATTACH PARTITION part_2 FOR VALUES FROM (100) TO (200)");

            assertThat(catchThrowable(() -> run(source, "INSERT INTO part VALUES (1), (100)")))
                    .hasMessageContaining("missing token");
        } finally {
            PostgresPlace.server().execute("postgres", "DROP OWNED BY owner; DROP ROLE owner");
        }
    }

    private static void run(PGSimpleDataSource source, String sql) {
        try (Connection connection = source.getConnection()) {
            update(connection, sql);
        } catch (SQLException e) {
            throw new TriggerPlace.Refused(e);
        }
    }

    @Test
    void stopsPsql() throws Exception {
        Path psql = program("psql");
        place.install(ORDERS);

        assertThat(run(psql, "UPDATE orders SET status = 'psql'"))
                .contains("ZF003")
                .contains("missing token: write to \"orders/42\"")
                .contains(schema() + ".fenceline_stamp(");
        assertThat(run(psql, "BEGIN; SELECT fenceline_stamp(34, 'k'); UPDATE orders SET status = 'fresh'; COMMIT"))
                .contains("COMMIT");
        assertThat(run(psql, "BEGIN; SELECT fenceline_stamp(33, 'k'); UPDATE orders SET status = 'stale'; COMMIT"))
                .contains("ZF001")
                .contains("000000000000033")
                .contains("000000000000034");
        assertThat(state()).isEqualTo("42 fresh, 43 fresh");
    }

    private String run(Path psql, String sql) throws Exception {
        Process process = new ProcessBuilder(
                        psql.toString(),
                        "-X",
                        "-v",
                        "VERBOSITY=verbose",
                        PostgresPlace.server().uri(),
                        "-c",
                        "SET search_path = " + schema(),
                        "-c",
                        sql)
                .redirectErrorStream(true)
                .directory(Path.of("/").toFile())
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The servers that tests run come without it. */
    static Path program(String name) {
        List<Path> found = Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .toList();
        assumeTrue(!found.isEmpty(), name + " is not installed");
        return found.get(0);
    }
}
