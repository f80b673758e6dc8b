package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
}
