package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.ResourceKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.Columns;
import io.fenceline.jdbc.guard.FencedTable;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.trigger.GuardedTable.Mode;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresTriggersTest extends PlainSqlContract {

    @Override
    TriggerPlace newPlace() {
        return new PostgresPlace();
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
        assertThat((Throwable) complaint(stamped(34, "k") + "TRUNCATE orders")).hasMessageContaining("use DELETE");
        place.install(ORDERS.withMode(Mode.OBSERVE));

        place.sql("TRUNCATE orders");

        assertThat(state()).isEmpty();
        assertThat(observed())
                .singleElement()
                .satisfies(kind -> assertThat(kind.operation()).isEqualTo("TRUNCATE"));
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

    /** Equal values of these have no text in common, so a stale insert could come under another name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jsonb",
                "interval",
                "double precision",
                "money",
                "int[]",
                "text COLLATE no_case",
                "hidden",
                "timetz"
            })
    @Tag("R10")
    void guardsNoTableWhoseEqualKeysHaveDifferentTexts(String type) {
        place.sql("CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
                + " CREATE DOMAIN hidden AS jsonb; CREATE TABLE things (k " + type + ")");

        assertThatThrownBy(() -> place.install(GuardedTable.of("things", "k")))
                .hasMessageContaining("column k of things cannot name rows");

        place.sql("INSERT INTO things VALUES (NULL)");
    }

    @Test
    void guardsNoTableWhoseKeyTriggersDoNotSee() {
        place.sql("CREATE TABLE things (n int, k int GENERATED ALWAYS AS (n + 1) VIRTUAL)");

        assertThatThrownBy(() -> place.install(GuardedTable.of("things", "k")))
                .hasMessageContaining("column k of things cannot name rows")
                .hasMessageContaining("make it STORED");

        place.sql("DROP TABLE things; CREATE TABLE things (n int, k int GENERATED ALWAYS AS (n + 1) STORED)");
        place.install(GuardedTable.of("things", "k"));
        sql(34, "INSERT INTO things VALUES (41)");
        assertThat(all("SELECT resource FROM fenceline_fences")).isEqualTo("things/42");
    }

    /** The same text for equal keys, and the same that claims of Java programs have. */
    @ParameterizedTest
    @MethodSource("keys")
    @Tag("R10")
    void namesARowAsJavaDoes(String type, String sql, Object java) {
        place.sql(
                "CREATE TYPE colour AS ENUM ('RED'); CREATE DOMAIN price AS numeric; CREATE DOMAIN fine_price AS price;"
                        + " CREATE TABLE things (k " + type + ", n int)");
        GuardedTable table = GuardedTable.of("things", "k");
        place.install(table);
        place.install(table);

        sql(
                34,
                "SET LOCAL TimeZone = 'Asia/Tokyo'",
                "SET LOCAL DateStyle = 'ISO, DMY'",
                "SET LOCAL extra_float_digits = 0",
                "INSERT INTO things VALUES (" + sql + ", 1)");

        assertThat(all("SELECT resource FROM fenceline_fences")).isEqualTo(table.resource(java));
        place.remove("things");
        place.sql("DROP TABLE things; CREATE TABLE things (k " + type + ", n int)");
        GuardedTable both = GuardedTable.of("things", "k", "n");
        place.install(both);
        sql(34, "INSERT INTO things VALUES (" + sql + ", 1)");
        assertThat(all("SELECT resource FROM fenceline_fences ORDER BY updated_at DESC LIMIT 1"))
                .isEqualTo(both.resource(java, 1));
    }

    static Stream<Arguments> keys() {
        Instant instant = Instant.parse("2026-01-01T00:00:00Z");
        return Stream.of(
                arguments("smallint", "7", (short) 7),
                arguments("int", "-7", -7),
                arguments("bigint", "9007199254740993", 9007199254740993L),
                arguments("numeric", "42.00", new BigDecimal("42")),
                arguments("numeric", "1e30", new BigDecimal("1E+30")),
                arguments("numeric(9,2)", "0.00", new BigDecimal("0.00")),
                arguments("numeric", "-0.10", new BigDecimal("-0.1")),
                arguments("fine_price", "1.50", new BigDecimal("1.5")),
                arguments("text", "'a/b%c'", "a/b%c"),
                arguments("text", "U&'e\\0301'", "\u00e9"),
                arguments("varchar(9)", "'ab '", "ab "),
                arguments("char(5)", "'ab'", "ab"),
                arguments("boolean", "true", true),
                arguments("colour", "'RED'", "RED"),
                arguments(
                        "uuid",
                        "'B4C1FE11-0000-4000-8000-00000000000A'",
                        UUID.fromString("b4c1fe11-0000-4000-8000-00000000000a")),
                arguments("bytea", "'\\x00ff'", new byte[] {0, -1}),
                arguments("date", "'2026-03-01'", LocalDate.of(2026, 3, 1)),
                arguments("time", "'10:15'", LocalTime.of(10, 15)),
                arguments("time", "'10:15:30.120'", LocalTime.of(10, 15, 30, 120_000_000)),
                arguments("timestamp", "'2026-03-01 10:00'", LocalDateTime.of(2026, 3, 1, 10, 0)),
                arguments("timestamp", "'2026-03-01 10:00:00.1'", LocalDateTime.of(2026, 3, 1, 10, 0, 0, 100_000_000)),
                arguments("timestamp", "'2026-03-01 00:00:07'", LocalDateTime.of(2026, 3, 1, 0, 0, 7)),
                arguments("timestamptz", "'2026-01-01 02:00+02'", instant),
                arguments("timestamptz", "'2026-01-01 02:00:00.000001+02'", instant.plusNanos(1_000)),
                arguments(
                        "timestamptz",
                        "'2026-01-01 02:00:00.12+02'",
                        instant.plusMillis(120).atOffset(ZoneOffset.ofHours(2))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ORDERS", "\"orders\"", "SCHEMA.orders"})
    @Tag("R5")
    void keepsItsFencesWhenATableIsGuardedAgainUnderAnotherSpelling(String spelling) {
        place.install(ORDERS);
        sql(34, "DELETE FROM orders WHERE id = 42");

        GuardedTable again = GuardedTable.of(spelling.replace("SCHEMA", schema()), "id");
        place.install(again);

        assertThat(again.resource(42)).isEqualTo(ORDERS.resource(42));
        refused(StaleTokenException.class, () -> sql(33, "INSERT INTO orders VALUES (42, 'back')"));
        place.remove(spelling.replace("SCHEMA", schema()));
        place.sql("INSERT INTO orders VALUES (42, 'unguarded')");
        assertThat(all("SELECT count(*) FROM pg_proc WHERE proname LIKE 'fenceline_guard_%' AND pronamespace = '"
                        + schema() + "'::regnamespace"))
                .isEqualTo("0");
    }

    @Test
    @Tag("R5")
    void refusesNamesThatWouldForgetFences() {
        place.install(ORDERS);
        place.remove("orders");

        assertThatThrownBy(() -> place.install(ORDERS.withPrefix("other/")))
                .hasMessageContaining("have other names already: 'orders/' and id");
        assertThatThrownBy(() -> place.install(GuardedTable.of("orders", "id", "status")))
                .hasMessageContaining("other names");

        place.install(ORDERS);
        complaint("DELETE FROM orders");
    }

    /** As the first version named the rows of a table that was given with its schema. */
    @Test
    @Tag("R5")
    void refusesToForgetTheFencesOfAnEarlierVersion() {
        place.install(ORDERS.withPrefix(schema() + ".orders/"));
        place.sql("DELETE FROM fenceline_guarded");

        assertThatThrownBy(() -> place.install(ORDERS)).hasMessageContaining("those of an earlier version");
        place.install(ORDERS.withPrefix(schema() + ".orders/"));
        place.install(ORDERS.withPrefix(schema() + ".orders/"));
    }

    @Test
    @Tag("R10")
    void namesARowOnce() {
        place.sql("CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id);"
                + " CREATE TABLE p_low PARTITION OF p FOR VALUES FROM (0) TO (100)");
        place.install(GuardedTable.of("p_low", "id"));
        assertThatThrownBy(() -> place.install(GuardedTable.of("p", "id")))
                .hasMessageContaining("p has rows in common with p_low");
        place.remove("p_low");
        place.install(GuardedTable.of("p", "id"));
        assertThatThrownBy(() -> place.install(GuardedTable.of("p_low", "id")))
                .hasMessageContaining("p_low has rows in common with p");
    }

    @Test
    @Tag("R5")
    void coversPartitionsThatCameLaterWithTheNextInstallationWhereNobodyMayFollowThem() {
        place.sql("CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id)");
        place.install(GuardedTable.of("p", "id"));
        place.sql("DROP FUNCTION fenceline_fences_follow CASCADE;"
                + " CREATE TABLE p_low PARTITION OF p FOR VALUES FROM (0) TO (100)");
        place.sql("TRUNCATE p_low");

        place.install(GuardedTable.of("p", "id"));

        complaint("TRUNCATE p_low");
        complaint("INSERT INTO p_low VALUES (1)");
    }

    @Test
    void coversChildrenThatCameWithTheirSchemaAlsoAfterAnUpgrade() {
        place.sql("CREATE TABLE parent (id int PRIMARY KEY)");
        place.install(GuardedTable.of("parent", "id"));
        String follower = all("SELECT quote_ident(evtname) FROM pg_event_trigger"
                + " WHERE evtfoid = 'fenceline_fences_follow'::regproc");
        place.sql("DROP EVENT TRIGGER " + follower + "; CREATE EVENT TRIGGER " + follower
                + " ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION fenceline_fences_follow()");

        place.install(GuardedTable.of("parent", "id"));
        place.sql("DROP SCHEMA IF EXISTS child_schema CASCADE;"
                + " CREATE SCHEMA child_schema CREATE TABLE child () INHERITS (" + all("SELECT current_schema()")
                + ".parent)");

        complaint("INSERT INTO child_schema.child VALUES (1)");
        place.sql("DROP SCHEMA child_schema CASCADE");
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
    @Test
    @Tag("R2")
    void tellsItsOwnWritesFromThoseOfOthersThatBeganAfterTheTransaction() {
        place.install(ORDERS.withRule(FenceRule.ONCE));
        place.with(connection -> {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT age('3'::xid)");
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

    @Test
    void tellsEqualNumbersAsOneRow() {
        place.sql("CREATE TABLE things (k numeric PRIMARY KEY)");
        place.install(GuardedTable.of("things", "k"));
        sql(34, "INSERT INTO things VALUES (1.0)", "DELETE FROM things");

        refused(StaleTokenException.class, () -> sql(33, "INSERT INTO things VALUES (1.000)"));
    }

    @Test
    @Tag("R10")
    void namesTheRowsOfAQuotedTableAsTheGuardsDo() {
        place.sql("CREATE TABLE \"Orders\" (id integer PRIMARY KEY, status text, last_fence bigint)");
        place.install(GuardedTable.of(schema() + ".\"Orders\"", "id"));
        GuardOptions options = GuardOptions.defaults().withTable(place.fences());
        FencedTable table = FencedTable.of("Orders", "id", "last_fence").with(options);

        place.with(connection -> {
            connection.setAutoCommit(false);
            table.insert(connection, 1, stamp(34), Columns.set("status", "new"));
            connection.commit();
            return null;
        });
        JdbcFenceGuard.on(place.source(), options).claim(ResourceKey.row("\"Orders\"", 1), stamp(40));

        refused(StaleTokenException.class, () -> sql(39, "UPDATE \"Orders\" SET status = 'late'"));
        assertThat(all("SELECT resource FROM fenceline_fences")).isEqualTo("orders/1");
    }

    @Test
    void guardsTablesWhoseLongNamesDifferAtTheEnd() {
        for (String table : List.of("\u0434".repeat(29) + "1", "\u0434".repeat(29) + "2")) {
            place.sql("CREATE TABLE \"" + table + "\" (id integer PRIMARY KEY)");
            place.install(GuardedTable.of('"' + table + '"', "id"));

            assertThat(complaint("INSERT INTO \"" + table + "\" VALUES (1)").sqlState())
                    .isEqualTo("ZF003");
        }
    }

    @Test
    @Tag("R10")
    void refusesARowWhoseNameIsTooLongForAnyGuard() {
        place.sql("CREATE TABLE texts (name text PRIMARY KEY)");
        place.install(GuardedTable.of("texts", "name"));

        sql(34, "INSERT INTO texts VALUES (repeat('x', 506))");
        MissingTokenException refusal =
                refused(MissingTokenException.class, () -> sql(34, "INSERT INTO texts VALUES (repeat('x', 507))"));

        assertThat(refusal).hasMessageContaining("longer than 512 bytes");
    }

    @Test
    void guardsATableOfAnotherSchemaByItsWholeName() {
        place.sql("CREATE TABLE \"" + schema() + "\".\"Sales\" (id int PRIMARY KEY)");
        GuardedTable table = GuardedTable.of(schema() + ".\"Sales\"", "ID");
        place.install(table);

        complaint("INSERT INTO \"Sales\" VALUES (1)");
        sql(34, "INSERT INTO \"Sales\" VALUES (1)");

        assertThat(all("SELECT resource FROM fenceline_fences")).isEqualTo("sales/1");
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
            PGSimpleDataSource source = (PGSimpleDataSource) place.source();
            source.setUser("writer");
            source.setPassword("secret");
            run(source, "BEGIN; " + stamped(34, "k") + "DELETE FROM orders; COMMIT");
            assertThat(state()).isEmpty();
        } finally {
            PostgresPlace.server().execute("postgres", "DROP OWNED BY writer; DROP ROLE writer");
        }
    }

    private static void run(PGSimpleDataSource source, String sql) {
        try (Connection connection = source.getConnection()) {
            update(connection, sql);
        } catch (SQLException e) {
            throw new TriggerPlace.Refused(e);
        }
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
