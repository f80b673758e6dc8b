package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.ResourceKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.Columns;
import io.fenceline.jdbc.guard.FencedTable;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.math.BigDecimal;
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

/** Tables and rows of PostgreSQL under one name each, for triggers as for guards, and tables that cannot have such names. */
@Tag("R8")
class PostgresTriggerNamesTest extends GuardedOrders {

    @Override
    TriggerPlace newPlace() {
        return PostgresPlace.pooled();
    }

    private String schema() {
        return ((PostgresPlace) place).schema();
    }

    /** Equal values of these have no text in common, so a stale insert could come under another name; or they have none at all. */
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
                "timetz",
                "shade"
            })
    @Tag("R10")
    void guardsNoTableWhoseEqualKeysHaveDifferentTexts(String type) {
        place.sql("CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
                + " CREATE DOMAIN hidden AS jsonb; CREATE TYPE colour AS ENUM ('RED'); CREATE DOMAIN shade AS colour; CREATE TABLE things (k "
                + type + ")");

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
                "SET LOCAL bytea_output = 'escape'",
                "SET LOCAL standard_conforming_strings = " + (sql.contains("\\") ? "on" : "off"),
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
        place.sql("CREATE TABLE p_high PARTITION OF p FOR VALUES FROM (100) TO (200)");
        assertThatThrownBy(() -> place.install(GuardedTable.of("p_high", "id")))
                .hasMessageContaining("p_high has rows in common with p");
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
        for (int length : new int[] {507, 20_000}) {
            String insert = "INSERT INTO texts VALUES (repeat('x', " + length + "))";
            MissingTokenException refusal = refused(MissingTokenException.class, () -> sql(34, insert));
            assertThat(refusal).hasMessageContaining("longer than 512 bytes");
        }
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

    /** What a table has in its name or its rows' names is text in every part of the script, whatever the session's settings. */
    @ParameterizedTest
    @ValueSource(strings = {"a\\b", "$$; SELECT 1/0; --", "'"})
    void namesAreTextInEveryScript(String text) {
        place.sql("CREATE TABLE \"" + text + "\" (\"" + text + "\" int)");
        GuardedTable table = GuardedTable.of('"' + text + '"', '"' + text + '"').withPrefix(text);
        place.with(connection -> {
            update(connection, "SET standard_conforming_strings = off");
            GuardedTables.install(connection, table, place.fences());
            return update(connection, "RESET standard_conforming_strings");
        });

        sql(34, "INSERT INTO \"" + text + "\" VALUES (42)");

        assertThat(all("SELECT resource FROM fenceline_fences")).isEqualTo(table.resource(42));
        place.remove('"' + text + '"');
        place.sql("INSERT INTO \"" + text + "\" VALUES (42)");
    }

    /** A backup would give the names to the table that has the number in another database. */
    @Test
    void forgetsTheNamesOfTablesThatAreGone() {
        place.sql("CREATE TABLE things (id int)");
        place.install(GuardedTable.of("things", "id"));
        place.sql("DROP TABLE things");

        place.install(ORDERS);

        assertThat(all("SELECT relation FROM fenceline_guarded")).isEqualTo("orders");
    }
}
