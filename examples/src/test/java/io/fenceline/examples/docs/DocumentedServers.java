package io.fenceline.examples.docs;

import io.fenceline.servers.FirestoreEmulator;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The servers that the documentation names. Only their addresses are replaced in the pages' code, by {@link #withRealAddresses}; the user, the
 * databases and the variables of the passwords are those of the pages.
 */
final class DocumentedServers implements AutoCloseable {

    private static final String PASSWORD = "secret";

    private final PostgresServer postgres = PostgresServer.start(Map.of());
    private final RedisServer redis = RedisServer.start(RedisSettings.inMemory().with("requirepass", PASSWORD));
    private final Optional<MariaDbServer> mariaDb =
            MariaDbServer.missing().isPresent() ? Optional.empty() : Optional.of(MariaDbServer.start(Map.of()));
    private final Optional<FirestoreEmulator> firestore = FirestoreEmulator.find();

    DocumentedServers() {
        postgres.execute("postgres", "CREATE ROLE app LOGIN PASSWORD '" + PASSWORD + "'");
        mariaDb.ifPresent(server -> {
            server.execute("", "CREATE DATABASE app");
            server.execute("", "GRANT ALL ON app.* TO app@'%' IDENTIFIED BY '" + PASSWORD + "'");
        });
    }

    /** Empties the servers that pages share, and makes a page's tables on PostgreSQL. */
    void reset(List<CodeBlock> tables) throws SQLException {
        redis.flush();
        postgres.execute("postgres", "DROP DATABASE IF EXISTS app WITH (FORCE)");
        postgres.execute("postgres", "CREATE DATABASE app OWNER app");
        String url = "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/app";
        try (Connection connection = DriverManager.getConnection(url, "app", PASSWORD);
                Statement statement = connection.createStatement()) {
            for (CodeBlock table : tables) {
                statement.execute(table.text());
            }
        }
    }

    String withRealAddresses(String code) {
        int mariaDbPort = mariaDb.map(MariaDbServer::port).orElse(0);
        return code.replace("/mariadb.example/", "/127.0.0.1:" + mariaDbPort + "/")
                .replace("db.example/", "127.0.0.1:" + postgres.port() + "/")
                .replace("cache.example:6379", "127.0.0.1:" + redis.port());
    }

    Map<String, String> environment() {
        Map<String, String> environment =
                new HashMap<>(Map.of("PGPASSWORD", PASSWORD, "REDISCLI_AUTH", PASSWORD, "MYSQL_PWD", PASSWORD));
        firestore.ifPresent(emulator -> environment.put(FirestoreEmulator.HOST_VARIABLE, emulator.host()));
        return environment;
    }

    /** Returns words that mark code whose server cannot run on this machine: it is compiled and not run. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        if (mariaDb.isEmpty()) {
            missing.add("mariadb.example");
        }
        if (firestore.isEmpty()) {
            missing.add("Firestore");
        }
        return missing;
    }

    @Override
    public void close() {
        postgres.close();
        redis.close();
        mariaDb.ifPresent(MariaDbServer::close);
        firestore.ifPresent(FirestoreEmulator::close);
    }
}
