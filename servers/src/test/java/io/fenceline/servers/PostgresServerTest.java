package io.fenceline.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PostgresServerTest {

    private final PostgresServer server = PostgresServer.start(Map.of("work_mem", "5MB"));

    @AfterEach
    void end() {
        server.close();
    }

    @Test
    void isDurableTakesSettingsAndMakesDatabases() throws SQLException {
        String database = server.newDatabase();

        assertThat(ask(database, "SELECT current_database()")).isEqualTo(database);
        assertThat(ask(database, "SHOW fsync")).isEqualTo("on");
        assertThat(ask(database, "SHOW synchronous_commit")).isEqualTo("on");
        assertThat(ask(database, "SHOW work_mem")).isEqualTo("5MB");
        assertThat(server.newDatabase()).isNotEqualTo(database);
    }

    @Test
    void keepsWhatWasCommittedWhenItIsStoppedOrKilled() throws SQLException {
        String database = server.newDatabase();
        server.execute(database, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)");

        server.stop();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> ask(database, "SELECT 1"));
        server.startAgain();
        server.execute(database, "INSERT INTO kept VALUES (2)");
        server.kill();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> ask(database, "SELECT 1"));
        server.startAgain();

        assertThat(ask(database, "SELECT count(*) FROM kept")).isEqualTo("2");
    }

    @Test
    void answersNobodyWhileItIsPaused() throws SQLException {
        server.pause();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() ->
                        DriverManager.getConnection(server.jdbcUrl("postgres") + "&loginTimeout=1&socketTimeout=1"));
        server.resume();

        assertThat(ask("postgres", "SELECT 1")).isEqualTo("1");
    }

    @Test
    void asksUsersForTheirPassword() throws SQLException {
        server.execute("postgres", "CREATE ROLE ann LOGIN PASSWORD 'right'");
        String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";

        try (Connection connection = DriverManager.getConnection(url, "ann", "right")) {
            assertThat(connection.isValid(5)).isTrue();
        }
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection(url, "ann", "wrong"))
                .returns("28P01", SQLException::getSQLState);
    }

    @Test
    void canBeFollowedByAStandbyThatOnlyReads() throws SQLException {
        try (PostgresServer standby = server.startStandby()) {
            assertThat(ask(server, "postgres", "SELECT pg_is_in_recovery()")).isEqualTo("f");
            assertThat(ask(standby, "postgres", "SELECT pg_is_in_recovery()")).isEqualTo("t");
        }
    }

    private String ask(String database, String sql) throws SQLException {
        return ask(server, database, sql);
    }

    private static String ask(PostgresServer server, String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database));
                ResultSet row = connection.createStatement().executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
