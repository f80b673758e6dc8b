package io.fenceline.jdbc.sql;

import io.fenceline.spi.UriParameters;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;

/**
 * The parts of a URI {@code SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?NAME=VALUE}.
 *
 * @param hosts hosts and ports, separated by commas; empty if none is named
 * @param database its name; empty if it is not named
 * @param parameters what follows the question mark, with {@code user} and {@code password}; may be changed
 */
public record DatabaseUri(String hosts, String database, Map<String, String> parameters) {

    /**
     * Reads a URI. Its text appears in no message, since it may have a password.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    public static DatabaseUri parse(String uri, Function<String, IllegalArgumentException> malformed) {
        int start = uri.indexOf("://");
        if (start < 0) {
            throw malformed.apply("it has no // after the scheme");
        }
        String rest = uri.substring(start + 3);
        int question = rest.indexOf('?');
        Map<String, String> parameters =
                UriParameters.parse(question < 0 ? "" : rest.substring(question + 1), malformed);
        String place = question < 0 ? rest : rest.substring(0, question);
        int at = place.lastIndexOf('@');
        if (at >= 0) {
            String user = place.substring(0, at);
            int colon = user.indexOf(':');
            if (colon >= 0) {
                parameters.put("password", UriParameters.decoded(user.substring(colon + 1), malformed));
            }
            parameters.put("user", UriParameters.decoded(colon < 0 ? user : user.substring(0, colon), malformed));
        }
        String address = place.substring(at + 1);
        int slash = address.indexOf('/');
        String hosts = slash < 0 ? address : address.substring(0, slash);
        ensurePorts(hosts, malformed);
        return new DatabaseUri(
                hosts, slash < 0 ? "" : UriParameters.decoded(address.substring(slash + 1), malformed), parameters);
    }

    /** Drivers report a wrong port as anything but that. */
    private static void ensurePorts(String hosts, Function<String, IllegalArgumentException> malformed) {
        for (String host : hosts.split(",", -1)) {
            int colon = host.indexOf(':', host.lastIndexOf(']') + 1);
            if (colon >= 0) {
                UriParameters.port(host.substring(colon + 1), malformed);
            }
        }
    }

    /**
     * Sets a parameter that the URI does not have.
     *
     * @param value its value; empty for none
     */
    public void fill(String name, String value) {
        if (!value.isEmpty()) {
            parameters.putIfAbsent(name, value);
        }
    }

    /** Returns parameters as a driver takes them. */
    public static Properties properties(Map<String, String> parameters) {
        Properties properties = new Properties();
        properties.putAll(parameters);
        return properties;
    }
}
