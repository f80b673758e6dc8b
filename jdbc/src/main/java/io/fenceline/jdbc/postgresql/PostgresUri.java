package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.TableLayout;
import io.fenceline.jdbc.sql.DatabaseUri;
import io.fenceline.jdbc.syncguard.SyncGuardTables;
import io.fenceline.spi.UriParameters;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.PGProperty;
import org.postgresql.jdbc.SslMode;

/**
 * A URI as {@code psql} takes it: {@code postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?NAME=VALUE}. What is left out
 * comes from the environment as with {@code psql}, and the password from {@code PGPASSWORD} or the password file. Parameters are
 * the driver's; some of {@code psql}'s are translated, and {@code table} names the table of the locks. With {@code
 * layout=syncguard} the tables are those of SyncGuard; {@code fences} then names the table of the counters. With {@code
 * signals=off} waiters poll.
 *
 * @param hosts hosts and ports, separated by commas
 * @param parameters the driver's properties, user and password among them
 * @param signals whether waiters are told of releases
 */
record PostgresUri(String hosts, String database, Map<String, String> parameters, TableLayout layout, boolean signals) {

    private static final String PRIMARY_WANTED = "target_session_attrs";

    private static final Map<String, String> DRIVERS_NAMES =
            Map.of("application_name", "ApplicationName", "connect_timeout", "connectTimeout");

    /**
     * Ours; what the URI says wins. The driver prepares on the server at once, since it is only a few statements. A connection has our limit of an
     * answer from the start, so that it need not be set for each call.
     */
    private static final Map<String, String> DEFAULTS = Map.of(
            "ApplicationName", "fenceline",
            "connectTimeout", "5",
            "socketTimeout", "10",
            "tcpKeepAlive", "true",
            "prepareThreshold", "1");

    /**
     * Of one host among several, which is passed over when it is switched off, and not asked again soon while another answers. The driver limits a login
     * to all of them together, and one that hangs costs its limits of TLS and of an answer. The limit of TLS stays at the driver's 5 s: with a
     * shorter one it would connect to a slow server without TLS.
     */
    private static final Map<String, String> DEFAULTS_OF_SEVERAL =
            Map.of("connectTimeout", "2", "hostRecheckSeconds", "60");

    private static final int LOGIN_SECONDS = 5;
    private static final int SECONDS_OF_A_HOST_THAT_HANGS = 17;

    /**
     * Reads a URI. Its text appears in no message, since it may have a password.
     *
     * @param environment answers the empty text for a variable that is not set
     * @throws IllegalArgumentException if it is malformed
     */
    static PostgresUri parse(String uri, UnaryOperator<String> environment) {
        DatabaseUri parts = DatabaseUri.parse(uri, PostgresUri::malformed);
        Map<String, String> parameters = parts.parameters();
        DRIVERS_NAMES.forEach((ours, drivers) -> {
            if (parameters.containsKey(ours)) {
                parameters.put(drivers, parameters.remove(ours));
            }
        });
        parts.fill("user", environment.apply("PGUSER"));
        parts.fill("user", System.getProperty("user.name"));
        parts.fill("password", environment.apply("PGPASSWORD"));
        TableLayout layout = layout(parameters);
        boolean signals = signals(parameters);
        ensureKnown(parameters);
        ensureTlsMode(parameters);
        translate(parameters, parts.hosts().split(",").length);
        return new PostgresUri(
                parts.hosts().isEmpty()
                        ? orElse(environment.apply("PGHOST"), "localhost") + port(environment)
                        : parts.hosts(),
                orElse(parts.database(), orElse(environment.apply("PGDATABASE"), parameters.getOrDefault("user", ""))),
                parameters,
                layout,
                signals);
    }

    /** The driver's URL, without user and password. */
    String jdbcUrl() {
        return "jdbc:postgresql://" + hosts + "/" + URLEncoder.encode(database, StandardCharsets.UTF_8);
    }

    Properties properties() {
        return DatabaseUri.properties(parameters);
    }

    private static TableLayout layout(Map<String, String> parameters) {
        String layout = parameters.remove("layout");
        String table = parameters.remove("table");
        String fences = parameters.remove("fences");
        if ("syncguard".equals(layout)) {
            return new SyncGuardTables(
                    Objects.requireNonNullElse(table, SyncGuardTables.DEFAULT_LOCKS),
                    Objects.requireNonNullElse(fences, SyncGuardTables.DEFAULT_FENCES));
        }
        if (layout != null) {
            throw malformed("its layout is '" + layout + "', and the only layout that can be named is syncguard");
        }
        if (fences != null) {
            throw malformed("it names a table of fences, which only goes with layout=syncguard");
        }
        return new LockTable(Objects.requireNonNullElse(table, LockTable.DEFAULT_NAME));
    }

    private static boolean signals(Map<String, String> parameters) {
        String signals = parameters.getOrDefault("signals", "on");
        parameters.remove("signals");
        if (!signals.equals("on") && !signals.equals("off")) {
            throw malformed("its signals are '" + signals + "', and can be on or off");
        }
        return signals.equals("on");
    }

    /** The driver ignores what it does not know. */
    private static void ensureKnown(Map<String, String> parameters) {
        List<String> known = Stream.concat(
                        Stream.of("table", "layout", "fences", "signals", PRIMARY_WANTED),
                        Stream.of(PGProperty.values()).map(PGProperty::getName))
                .toList();
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw malformed(UriParameters.unknown(name, known));
            }
        }
    }

    /** The driver would report another value as a server that cannot be reached. */
    private static void ensureTlsMode(Map<String, String> parameters) {
        String mode = parameters.getOrDefault("sslmode", "prefer");
        List<String> modes =
                Stream.of(SslMode.values()).map(value -> value.value).toList();
        if (!modes.contains(mode)) {
            throw malformed("sslmode is '" + mode + "', it must be one of " + String.join(", ", modes));
        }
    }

    private static void translate(Map<String, String> parameters, int hosts) {
        String wanted = parameters.remove(PRIMARY_WANTED);
        if (hosts > 1 || "read-write".equals(wanted) || "primary".equals(wanted)) {
            parameters.putIfAbsent("targetServerType", "primary");
        }
        if (hosts > 1) {
            DEFAULTS_OF_SEVERAL.forEach(parameters::putIfAbsent);
        }
        parameters.putIfAbsent(
                "loginTimeout", String.valueOf(LOGIN_SECONDS + (hosts - 1) * SECONDS_OF_A_HOST_THAT_HANGS));
        DEFAULTS.forEach(parameters::putIfAbsent);
    }

    private static String port(UnaryOperator<String> environment) {
        String port = environment.apply("PGPORT");
        return port.isEmpty() ? "" : ":" + UriParameters.port(port, why -> malformed("in PGPORT, " + why));
    }

    private static String orElse(String value, String other) {
        return value.isEmpty() ? other : value;
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException(
                "the postgresql: URI is malformed: " + why + "; write postgresql://USER@HOST:PORT/DATABASE");
    }

    /** Without the parameters, one of which is the password. */
    @Override
    public String toString() {
        return "postgresql://" + hosts + "/" + database + " as "
                + parameters.entrySet().stream()
                        .filter(entry -> entry.getKey().equals("user"))
                        .map(Map.Entry::getValue)
                        .collect(Collectors.joining());
    }
}
