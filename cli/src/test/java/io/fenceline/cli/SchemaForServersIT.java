package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.jdbc.sql.ScriptStatements;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The script of {@code schema print --for} makes all that a server needs, and can be run again. */
class SchemaForServersIT {

    private static String scriptFor(String product) {
        return CommandRun.of(Map.of(), "", "schema", "print", "--for", product).out();
    }

    private static void assertComplete(String uri) {
        CommandRun check = CommandRun.of(Map.of("FENCELINE_BACKEND", uri), "", "schema", "check");
        assertThat(check).isEqualTo(new CommandRun(0, "the schema is complete" + System.lineSeparator(), ""));
        CommandRun exec =
                CommandRun.of(Map.of("FENCELINE_BACKEND", uri), "", "hold", "--for", "0", "--claim", "r", "k");
        assertThat(exec.exitCode()).as(exec.err()).isZero();
    }

    @Test
    void onPostgresql() {
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            String database = server.newDatabase();
            server.execute(database, scriptFor("postgresql"));
            server.execute(database, scriptFor("postgresql"));
            assertComplete(server.uri(database));
        }
    }

    @Test
    void onMariaDb() throws Exception {
        MariaDbServer.missing().ifPresent(why -> assumeTrue(false, why));
        try (MariaDbServer server = MariaDbServer.start(Map.of())) {
            String database = server.newDatabase();
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database));
                    Statement session = connection.createStatement()) {
                for (String statement :
                        new ScriptStatements(scriptFor("mariadb").repeat(2)).statements()) {
                    session.execute(statement);
                }
            }
            assertComplete(server.uri(database));
        }
    }
}
