package io.fenceline.jdbc.sqlserver;

import io.fenceline.jdbc.dialect.LockTable;
import io.fenceline.jdbc.dialect.UriParameters;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * A URI {@code sqlserver://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE}. Parameters are the driver's, and {@code table} names the table of
 * the locks.
 *
 * @param host host and port
 * @param parameters the driver's properties, user and password among them
 * @param table the table of the locks
 */
record SqlServerUri(String host, Map<String, String> parameters, LockTable table) {

    /** Names that the driver accepts and does not list. */
    private static final List<String> SYNONYMS = List.of("database", "userName", "server", "port");

    /** Reads a URI. Its text appears in no message, since it may have a password. */
    static SqlServerUri parse(String uri) {
        int start = uri.indexOf("://");
        if (start < 0) {
            throw malformed("it has no // after the scheme");
        }
        String rest = uri.substring(start + 3);
        int question = rest.indexOf('?');
        String place = question < 0 ? rest : rest.substring(0, question);
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair :
                question < 0 ? new String[0] : rest.substring(question + 1).split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw malformed("a parameter after the question mark is not NAME=VALUE");
            }
            parameters.put(pair.substring(0, equals), decoded(pair.substring(equals + 1)));
        }
        int at = place.lastIndexOf('@');
        if (at >= 0) {
            String user = place.substring(0, at);
            int colon = user.indexOf(':');
            parameters.put("user", decoded(colon < 0 ? user : user.substring(0, colon)));
            if (colon >= 0) {
                parameters.put("password", decoded(user.substring(colon + 1)));
            }
        }
        String address = place.substring(at + 1);
        int slash = address.indexOf('/');
        if (slash < 1 || slash == address.length() - 1) {
            throw malformed("it names no host or no database");
        }
        parameters.put("databaseName", decoded(address.substring(slash + 1)));
        parameters.putIfAbsent("applicationName", "fenceline");
        parameters.putIfAbsent("loginTimeout", "5");
        if (parameters.containsKey("layout")) {
            throw malformed("it names a layout, and SyncGuard keeps its tables on PostgreSQL");
        }
        String table = parameters.getOrDefault("table", LockTable.DEFAULT_NAME);
        parameters.remove("table");
        return new SqlServerUri(address.substring(0, slash), parameters, new LockTable(table));
    }

    /**
     * Ensures that the driver knows the parameters: it ignores others.
     *
     * @param driver the driver
     * @return this
     */
    SqlServerUri knownTo(Driver driver) throws SQLException {
        Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (DriverPropertyInfo property : driver.getPropertyInfo(jdbcUrl(), new Properties())) {
            known.add(property.name);
        }
        known.addAll(SYNONYMS);
        known.add("table");
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw malformed(UriParameters.unknown(name, known));
            }
        }
        return this;
    }

    /** The driver's URL, without the parameters. */
    String jdbcUrl() {
        return "jdbc:sqlserver://" + host;
    }

    Properties properties() {
        Properties properties = new Properties();
        properties.putAll(parameters);
        return properties;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw malformed("a percent sign in it is not followed by two hexadecimal digits");
        }
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException(
                "the sqlserver: URI is malformed: " + why + "; write sqlserver://USER@HOST:PORT/DATABASE");
    }

    /** Without the parameters, one of which is the password. */
    @Override
    public String toString() {
        return "sqlserver://" + host;
    }
}
