package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.sql.DatabaseUri;
import io.fenceline.spi.UriParameters;
import java.lang.reflect.Field;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.mariadb.jdbc.Configuration;

/**
 * A URI {@code mariadb://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?NAME=VALUE}. A host that is left out comes from {@code
 * MYSQL_HOST}, a port from {@code MYSQL_TCP_PORT} and the password from {@code MYSQL_PWD}, as with the command line client.
 * Parameters are those of MariaDB's driver, and {@code table} names the table of the locks.
 *
 * @param scheme {@code mariadb} or {@code mysql}
 * @param hosts hosts and ports, separated by commas
 * @param parameters the driver's properties, user and password among them
 */
record MariaDbUri(String scheme, String hosts, String database, Map<String, String> parameters, LockTable table) {

    /** Ours; what the URI says wins. */
    private static final Map<String, String> DEFAULTS =
            Map.of("connectTimeout", "5000", "connectionAttributes", "program_name:fenceline");

    /**
     * Reads a URI. Its text appears in no message, since it may have a password.
     *
     * @param environment answers the empty text for a variable that is not set
     * @throws IllegalArgumentException if it is malformed
     */
    static MariaDbUri parse(String uri, UnaryOperator<String> environment) {
        String scheme = uri.substring(0, uri.indexOf(':')).toLowerCase(Locale.ROOT);
        DatabaseUri parts = DatabaseUri.parse(uri, why -> malformed(scheme, why));
        if (parts.database().isEmpty()) {
            throw malformed(scheme, "it names no database");
        }
        parts.fill("user", System.getProperty("user.name"));
        parts.fill("password", environment.apply("MYSQL_PWD"));
        Map<String, String> parameters = parts.parameters();
        LockTable table = new LockTable(parameters.getOrDefault("table", LockTable.DEFAULT_NAME));
        parameters.remove("table");
        if (parameters.containsKey("layout")) {
            throw malformed(scheme, "it names a layout, and SyncGuard keeps its tables on PostgreSQL");
        }
        DEFAULTS.forEach(parameters::putIfAbsent);
        return new MariaDbUri(scheme, hosts(parts.hosts(), environment), parts.database(), parameters, table).known();
    }

    /** The driver passes over what it does not know. */
    private MariaDbUri known() {
        try {
            Set<String> unknown = Configuration.parse(jdbcUrl(), properties())
                    .nonMappedOptions()
                    .stringPropertyNames();
            if (!unknown.isEmpty()) {
                Set<String> known = new TreeSet<>();
                for (Field option : Configuration.Builder.class.getDeclaredFields()) {
                    known.add(option.getName());
                }
                known.add("table");
                throw malformed(scheme, UriParameters.unknown(unknown.iterator().next(), known));
            }
            return this;
        } catch (SQLException e) {
            throw malformed(scheme, String.valueOf(e.getMessage()));
        }
    }

    /** The driver's URL, without user and password. Several hosts are tried one after the other. */
    String jdbcUrl() {
        String mode = hosts.contains(",") ? "sequential:" : "";
        return "jdbc:mariadb:" + mode + "//" + hosts + "/" + URLEncoder.encode(database, StandardCharsets.UTF_8);
    }

    Properties properties() {
        return DatabaseUri.properties(parameters);
    }

    private static String hosts(String given, UnaryOperator<String> environment) {
        if (!given.isEmpty()) {
            return given;
        }
        String host = environment.apply("MYSQL_HOST");
        String port = environment.apply("MYSQL_TCP_PORT");
        return (host.isEmpty() ? "localhost" : host) + (port.isEmpty() ? "" : ":" + port);
    }

    private static IllegalArgumentException malformed(String scheme, String why) {
        return new IllegalArgumentException(
                "the " + scheme + ": URI is malformed: " + why + "; write " + scheme + "://USER@HOST:PORT/DATABASE");
    }

    /** Without the parameters, one of which is the password. */
    @Override
    public String toString() {
        return scheme + "://" + hosts + "/" + database + " as " + parameters.getOrDefault("user", "");
    }
}
