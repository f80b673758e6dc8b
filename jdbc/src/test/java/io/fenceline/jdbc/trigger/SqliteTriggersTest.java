package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteTriggersTest extends PlainSqlContract {

    @Override
    TriggerPlace newPlace() {
        return new SqlitePlace();
    }

    @Test
    void failsTheCommitOfAForgottenStamp() {
        place.install(ORDERS);
        place.with(connection -> {
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'x'");
            assertThatThrownBy(connection::commit).hasMessageContaining("FOREIGN KEY");
            connection.rollback();
            return null;
        });
        assertThat(state()).isEqualTo("42 new, 43 new");
        assertThat(TriggerRefusals.of(complaint("DELETE FROM orders"))).containsInstanceOf(MissingTokenException.class);
    }

    @Test
    void takesNoStampThatCouldBeLeftBehind() throws Exception {
        place.install(ORDERS);
        try (Connection connection = ((SqlitePlace) place).source(false).getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> SessionStamp.set(connection, stamp(34)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("PRAGMA foreign_keys = ON");
        }
        JdbcFenceGuard guard = JdbcFenceGuard.on(((SqlitePlace) place).source(false));
        assertThatThrownBy(() ->
                        guard.write("orders/42", stamp(34), connection -> update(connection, "DELETE FROM orders")))
                .hasStackTraceContaining("guards show theirs on connections with PRAGMA foreign_keys = ON");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT OR REPLACE INTO orders VALUES (42, 'x')",
                "REPLACE INTO orders VALUES (42, 'x')",
                "INSERT OR IGNORE INTO orders VALUES (44, 'x')",
                "INSERT OR FAIL INTO orders VALUES (44, 'x')",
                "INSERT OR ROLLBACK INTO orders VALUES (44, 'x')",
                "UPDATE OR IGNORE orders SET status = 'x'",
                "UPDATE OR REPLACE orders SET id = 43 WHERE id = 42",
                "INSERT INTO orders VALUES (42, 'x') ON CONFLICT (id) DO UPDATE SET status = excluded.status"
            })
    void cannotBePersuadedByAConflictClause(String statement) {
        place.install(ORDERS);
        complaint(statement);
        sql(
                34,
                "UPDATE orders SET status = 'paid'",
                "INSERT INTO orders VALUES (44, 'x')",
                "DELETE FROM orders WHERE id = 44");

        refused(StaleTokenException.class, () -> sql(33, statement));

        assertThat(state()).isEqualTo("42 paid, 43 paid");
        sql(35, statement);
        assertThat(all("SELECT highest FROM fenceline_fences WHERE highest = 35"))
                .isNotEmpty();
    }

    /** Its fence could not be kept, which a conflict clause would ignore. */
    @ParameterizedTest
    @ValueSource(strings = {"INSERT OR IGNORE", "INSERT OR FAIL"})
    void refusesARowWithoutAKeyWhateverTheConflictClause(String insert) {
        place.sql("CREATE TABLE things (k TEXT, v TEXT)");
        place.install(GuardedTable.of("things", "k"));

        assertThatThrownBy(() -> sql(34, insert + " INTO things VALUES (NULL, 'x')"))
                .hasMessageContaining("a row whose key is null");

        assertThat(all("SELECT count(*) FROM things")).isEqualTo("0");
    }

    @Test
    @Tag("R10")
    void guardsNoTableWhoseEqualKeysHaveDifferentTexts() {
        place.sql("CREATE TABLE things (k TEXT COLLATE NOCASE PRIMARY KEY)");

        assertThatThrownBy(() -> place.install(GuardedTable.of("things", "k")))
                .hasMessageContaining("cannot name rows")
                .hasMessageContaining("collation");

        place.sql("INSERT INTO things VALUES ('unguarded')");
    }

    /** A claim would name a row by true, and the trigger by 1. */
    @ParameterizedTest
    @ValueSource(strings = {"BOOLEAN", "bool"})
    @Tag("R10")
    void guardsNoTableWhoseKeyIsABoolean(String type) {
        place.sql("CREATE TABLE things (K " + type + ", n INTEGER)");

        assertThatThrownBy(() -> place.install(GuardedTable.of("things", "n", "k")))
                .hasMessageContaining("cannot name rows")
                .hasMessageContaining("boolean");

        place.sql("INSERT INTO things VALUES (1, 1)");
    }

    /** VACUUM gives rows other ones, and with them the fences of other rows. */
    @ParameterizedTest
    @ValueSource(strings = {"rowid", "OID", "_rowid_"})
    @Tag("R10")
    void guardsNoTableByItsRowid(String key) {
        place.sql("CREATE TABLE things (title TEXT)");
        GuardedTable things = GuardedTable.of("things", key);

        assertThatThrownBy(() -> place.sql(new SqliteTriggers().installation(things)))
                .hasMessageContaining("rowids change at VACUUM; declare id INTEGER PRIMARY KEY");
        assertThatThrownBy(() -> place.install(things)).hasMessageContaining(key);

        place.sql("DROP TABLE things");
        place.sql("CREATE TABLE things (" + key + " INTEGER PRIMARY KEY)");
        place.install(things);
    }

    @ParameterizedTest
    @MethodSource("keys")
    @Tag("R10")
    void namesARowAsJavaDoes(String type, String sql, Object java) {
        place.sql("CREATE TABLE things (k " + type + ", n INTEGER)");
        GuardedTable table = GuardedTable.of("things", "k", "n");
        place.install(table);

        sql(34, "INSERT INTO things VALUES (" + sql + ", 1)");

        assertThat(all("SELECT resource FROM fenceline_fences")).isEqualTo(table.resource(java, 1));
    }

    static Stream<Arguments> keys() {
        return Stream.of(
                arguments("INTEGER", "42", 42L),
                arguments("INTEGER", "9223372036854775807", Long.MAX_VALUE),
                arguments("NUMERIC", "42.00", new BigDecimal("42.00")),
                arguments("NUMERIC", "9.50", new BigDecimal("9.50")),
                arguments("NUMERIC", "-0.0001", new BigDecimal("-0.0001")),
                arguments("NUMERIC", "123456789012345.0", new BigDecimal("123456789012345")),
                arguments("NUMERIC", "99999999999999.9", new BigDecimal("99999999999999.9")),
                arguments("REAL", "42", 42),
                arguments("", "42.0", 42),
                arguments("TEXT", "'a/b%'", "a/b%"),
                arguments("BLOB", "x'00FF'", new byte[] {0, -1}));
    }

    /** SQLite writes them with an exponent, or rounded. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.00001",
                "-0.00001",
                "1234567890123456.25",
                "12345678901234567890",
                "0.12345678901234567",
                "1e999"
            })
    @Tag("R10")
    void refusesANumberThatHasNoExactText(String key) {
        place.sql("CREATE TABLE things (k NUMERIC, n INTEGER)");
        place.install(GuardedTable.of("things", "k"));

        assertThatThrownBy(() -> sql(34, "INSERT INTO things VALUES (" + key + ", 1)"))
                .hasMessageContaining("a number below 0.0001 or with more than 15 digits")
                .satisfies(refused -> assertThat(TriggerRefusals.of(refused).orElseThrow())
                        .hasMessageEndingWith("give it another key"));
    }

    @Test
    void tellsOfARowWithoutANameAsOfOthers() {
        place.sql("CREATE TABLE things (k NUMERIC, n INTEGER)");
        place.install(GuardedTable.of("things", "k"));

        assertThat(TriggerRefusals.of(complaint("INSERT INTO things VALUES (NULL, 1)")))
                .containsInstanceOf(MissingTokenException.class);
        for (String noName : List.of("", " or a number with more than 15 digits")) { // PostgreSQL's, an earlier one
            String text = "fenceline: malformed token: write to \"a row whose key is null" + noName + "\"";
            assertThat(TriggerRefusals.of(new SQLException(text)).orElseThrow())
                    .hasMessageEndingWith("give it another key");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ORDERS", "\"Orders\""})
    @Tag("R5")
    void keepsItsFencesWhenATableIsGuardedAgainUnderAnotherSpelling(String spelling) {
        place.install(ORDERS);
        sql(34, "DELETE FROM orders WHERE id = 42");

        place.install(GuardedTable.of(spelling, "ID"));

        refused(StaleTokenException.class, () -> sql(33, "INSERT INTO orders VALUES (42, 'back')"));
    }

    @Test
    @Tag("R5")
    void refusesNamesThatWouldForgetFences() {
        place.install(ORDERS);
        place.remove("orders");
        assertThatThrownBy(() -> place.install(ORDERS.withPrefix("other/")))
                .hasMessageContaining("other names already");
        assertThatThrownBy(() -> place.install(GuardedTable.of("orders", "id", "status")))
                .hasMessageContaining("other names already");

        place.install(ORDERS);
        place.sql("DELETE FROM fenceline_guarded");
        assertThatThrownBy(() -> place.install(ORDERS.withPrefix("other/")))
                .hasMessageContaining("those of an earlier version");
        place.install(ORDERS);
    }

    @Test
    @Tag("R11")
    void showsAStampOnlyWhereItCanBeTakenBack() throws Exception {
        try (Connection connection = place.source().getConnection()) {
            connection.setAutoCommit(false);
            Optional<FenceStamp> before = SessionStamp.show(connection, stamp(34), "orders/42");
            SessionStamp.hide(connection, before);
            connection.commit();
        }
        place.install(ORDERS);
        try (Connection connection = ((SqlitePlace) place).source(false).getConnection()) {
            connection.setAutoCommit(false);
            Optional<FenceStamp> before = SessionStamp.show(connection, stamp(34), "orders/42");
            assertThat(TriggerRefusals.of(catchThrowable(() -> update(connection, "DELETE FROM orders"))))
                    .containsInstanceOf(MissingTokenException.class);
            SessionStamp.hide(connection, before);
            connection.rollback();
        }
    }

    @Test
    @Tag("R2")
    void letsAGrantChangeARowInOneTransaction() {
        place.install(ORDERS.withRule(FenceRule.ONCE));
        sql(34, "UPDATE orders SET status = 'a' WHERE id = 42", "UPDATE orders SET status = 'b' WHERE id = 42");

        refused(StaleTokenException.class, () -> sql(34, "UPDATE orders SET status = 'c' WHERE id = 42"));

        JdbcFenceGuard.on(place.source()).claim("orders/42", stamp(34));
        refused(StaleTokenException.class, () -> sql(34, "UPDATE orders SET status = 'd' WHERE id = 42"));
        assertThat(state()).isEqualTo("42 b, 43 new");
        assertThat(all("SELECT count(*) FROM fenceline_stamp_written")).isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"OFF", "ON"})
    @Tag("R2")
    void letsAGrantChangeARowAgainAfterItsStampWasSetAgain(String recursiveTriggers) {
        place.install(ORDERS.withRule(FenceRule.ONCE));
        place.with(connection -> {
            update(connection, "PRAGMA recursive_triggers = " + recursiveTriggers);
            connection.setAutoCommit(false);
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'a' WHERE id = 42");
            SessionStamp.set(connection, stamp(35));
            SessionStamp.set(connection, stamp(34));
            update(connection, "UPDATE orders SET status = 'b' WHERE id = 42");
            SessionStamp.clear(connection);
            connection.commit();
            return null;
        });
        assertThat(state()).isEqualTo("42 b, 43 new");
    }

    @Test
    void stopsTheShellOfAnOlderSqliteAndLetsItRead() throws Exception {
        Path shell = PostgresTriggersTest.program("sqlite3");
        place.install(ORDERS);

        assertThat(run(shell, "UPDATE orders SET status = 'shell'")).contains("missing token: write to \"orders/42\"");
        String stamp =
                "PRAGMA foreign_keys = ON; BEGIN; INSERT INTO fenceline_stamp (lock_key, token) VALUES ('k', %d);"
                        + " UPDATE orders SET status = 'of %1$d'; DELETE FROM fenceline_stamp; COMMIT; SELECT 'done'";
        assertThat(run(shell, stamp.formatted(34))).isEqualTo("done");
        assertThat(run(shell, stamp.formatted(33))).contains("stale token").contains("000000000000034");
        assertThat(run(shell, "SELECT status FROM orders WHERE id = 42")).isEqualTo("of 34");
    }

    private String run(Path shell, String sql) throws Exception {
        List<String> command = new ArrayList<>(List.of(shell.toString(), "-bail"));
        command.addAll(List.of(((SqlitePlace) place).file().toString(), sql));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
    /** Triggers follow a table, and keep the name that they would have on a new one. */
    @Test
    @Tag("R9")
    void keepsTheGuardOfATableThatWasRenamed() {
        place.install(ORDERS);
        place.sql("ALTER TABLE orders RENAME TO orders_2025");
        place.sql("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT)");
        GuardedTable renamed = GuardedTable.of("orders_2025", "id").withPrefix("orders/");

        for (Runnable change : List.<Runnable>of(
                () -> place.install(ORDERS),
                () -> place.install(renamed),
                () -> place.remove("orders"),
                () -> place.remove("orders_2025"))) {
            assertThatThrownBy(change::run).hasMessageContaining("orders_2025 was renamed");
        }
        complaint("DELETE FROM orders_2025");

        for (String end : List.of("insert", "update", "delete")) {
            place.sql("DROP TRIGGER \"fenceline_guard_orders_" + end + "\"");
        }
        place.install(renamed);
        place.install(ORDERS);
        complaint("DELETE FROM orders_2025");
    }
}
