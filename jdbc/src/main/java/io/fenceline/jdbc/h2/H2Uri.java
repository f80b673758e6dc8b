package io.fenceline.jdbc.h2;

import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.sql.DatabaseUri;
import io.fenceline.spi.UriParameters;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * A URI {@code h2:PATH}, {@code h2:mem:NAME} or {@code h2:tcp://HOST/PATH}, with H2's settings after semicolons and then {@code
 * ?user=…&password=…&table=…}.
 *
 * @param parameters user and password
 */
record H2Uri(String place, Map<String, String> parameters, LockTable table) {

    private static final List<String> PARAMETERS = List.of("user", "password", "table");

    /** Without a limit, a server that is silent keeps a thread for ever. */
    private static final int SILENCE_MILLIS = 10_000;

    /** Reads a URI. Its text appears in no message, since it may have a password. */
    static H2Uri parse(String uri) {
        String rest = uri.substring(uri.indexOf(':') + 1);
        int question = rest.indexOf('?');
        String place = question < 0 ? rest : rest.substring(0, question);
        if (place.isEmpty() || place.startsWith(";")) {
            throw malformed("it names no file");
        }
        if (place.matches("mem:(;.*)?")) {
            throw malformed("a database in memory needs a name, as in h2:mem:NAME, or each connection has its own");
        }
        String settings = place.toLowerCase(Locale.ROOT);
        if (settings.contains(";password=")) {
            throw malformed("a password is given as ?user=NAME&password=PASSWORD");
        }
        if (settings.contains(";ifexists=")) {
            throw malformed("IFEXISTS cannot be set: a database that is missing is made with the first lock");
        }
        Map<String, String> parameters =
                UriParameters.parse(question < 0 ? "" : rest.substring(question + 1), H2Uri::malformed);
        for (String name : parameters.keySet()) {
            if (!PARAMETERS.contains(name)) {
                throw malformed(UriParameters.unknown(name, PARAMETERS)
                        + (name.equals("layout") ? ", and SyncGuard keeps its tables on PostgreSQL" : ""));
            }
        }
        parameters.putIfAbsent("user", "");
        parameters.putIfAbsent("password", "");
        String table = parameters.getOrDefault("table", LockTable.DEFAULT_NAME);
        parameters.remove("table");
        return new H2Uri(place, parameters, new LockTable(table));
    }

    /**
     * The driver's URL. What is written is written at once. A path without a word for its kind is a file that is written through
     * an asynchronous channel: an ordinary one is closed by Java, and the database with it, when a thread that writes is
     * interrupted, as threads that wait for a lock or have lost one are. An answer of a server is waited for with a limit.
     */
    String jdbcUrl() {
        boolean kind =
                place.matches("(?s)(mem|file|nio|async|split|nioMapped|tcp|ssl|zip|~):?.*") && place.contains(":");
        String url = "jdbc:h2:" + (kind ? "" : "async:") + absolute() + unlessNamed("WRITE_DELAY", "0");
        boolean remote = place.matches("(?s)(tcp|ssl):.*");
        return remote ? url + unlessNamed("NETWORK_TIMEOUT", Integer.toString(SILENCE_MILLIS)) : url;
    }

    private String unlessNamed(String setting, String value) {
        boolean named = place.toUpperCase(Locale.ROOT).contains(";" + setting + "=");
        return named ? "" : ";" + setting + "=" + value;
    }

    Properties properties() {
        return DatabaseUri.properties(parameters);
    }

    /** H2 wants a relative path to say so. */
    private String absolute() {
        boolean bare = !place.contains(":") && !place.matches("(?s)[./~\\\\].*");
        return bare ? "./" + place : place;
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException("the h2: URI is malformed: " + why + "; write h2:PATH");
    }

    /** Without the parameters, one of which is the password. */
    @Override
    public String toString() {
        return "h2:" + place;
    }
}
