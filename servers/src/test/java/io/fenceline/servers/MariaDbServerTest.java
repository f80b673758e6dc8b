package io.fenceline.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class MariaDbServerTest {

    @Test
    void isDurableTakesSettingsAndKeepsWhatWasCommittedWhenItIsStoppedOrKilled() throws SQLException {
        assumeTrue(
                MariaDbServer.missing().isEmpty(), () -> MariaDbServer.missing().orElse(""));
        try (MariaDbServer server = MariaDbServer.start(Map.of("max-connections", "77"))) {
            String database = server.newDatabase();
            assertThat(ask(server, database, "SELECT database()")).isEqualTo(database);
            assertThat(ask(server, database, "SELECT @@innodb_flush_log_at_trx_commit"))
                    .isEqualTo("1");
            assertThat(ask(server, database, "SELECT @@max_connections")).isEqualTo("77");
            server.execute(database, "CREATE TABLE kept (n int)");
            server.execute(database, "INSERT INTO kept VALUES (1)");

            server.stop();
            assertThat(server.isRunning()).isFalse();
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> ask(server, database, "SELECT 1"));
            server.startAgain();
            server.execute(database, "INSERT INTO kept VALUES (2)");
            server.kill();
            assertThat(server.isRunning()).isFalse();
            server.startAgain();
            assertThat(ask(server, database, "SELECT count(*) FROM kept")).isEqualTo("2");

            server.pause();
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> DriverManager.getConnection(
                            server.jdbcUrl(database) + "&connectTimeout=500&socketTimeout=500"));
            server.resume();
            assertThat(ask(server, database, "SELECT 1")).isEqualTo("1");
        }
    }

    private static String ask(MariaDbServer server, String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database));
                ResultSet row = connection.createStatement().executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
