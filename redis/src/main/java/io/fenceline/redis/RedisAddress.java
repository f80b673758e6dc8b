package io.fenceline.redis;

import io.fenceline.Backends;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.spi.UriParameters;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The address of a store: {@code SCHEME://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]…][/DATABASE][?PARAMETERS][#MASTER]}.
 *
 * @param scheme in lower case
 * @param user empty for the default user
 * @param password empty for none
 * @param hosts the server, the Sentinels, or some nodes of the cluster
 * @param database 0 by default
 * @param layout the layout of locks, if named
 * @param keyPrefix the prefix of our own keys and channels, if named
 * @param master name of the master at the Sentinels, otherwise empty
 * @param sentinelPassword the Sentinels' own password, empty for none
 */
record RedisAddress(
        String scheme,
        String user,
        String password,
        List<Host> hosts,
        int database,
        Optional<KeyLayout> layout,
        Optional<String> keyPrefix,
        String master,
        String sentinelPassword) {

    static final String SINGLE = "redis";
    static final String SINGLE_TLS = "rediss";
    static final String SENTINEL = "redis-sentinel";
    static final String SENTINEL_TLS = "rediss-sentinel";
    static final String CLUSTER = "redis-cluster";
    static final String CLUSTER_TLS = "rediss-cluster";

    private static final Pattern FORM = Pattern.compile(
            "([a-z-]+)://(?:([^:@/]*)(?::([^/]*))?@)?([^@/#?]+)(?:/([0-9]*))?(?:\\?([^#]*))?(?:#(.+))?",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:\\s\\[\\]]+)(?::([0-9]+))?");

    /** The default prefix of SyncGuard. */
    private static final String SYNCGUARD_PREFIX = "syncguard";

    private static final String SENTINEL_PASSWORD = "sentinelPassword";

    private static final String KEY_PREFIX = "keyPrefix";

    private static final List<String> PARAMETERS = List.of(KEY_PREFIX, "layout", "prefix", SENTINEL_PASSWORD);

    private static final int PORT = 6379;
    private static final int SENTINEL_PORT = 26_379;

    /** A host and its port. */
    record Host(String name, int port) {
        @Override
        public String toString() {
            return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + port;
        }
    }

    /** Parses an address. The password defaults to {@code REDISCLI_AUTH}. */
    static RedisAddress parse(String uri) {
        String environment = System.getenv("REDISCLI_AUTH");
        return parse(uri, environment == null ? "" : environment);
    }

    /**
     * Parses an address. Messages never show the part before the {@code @}.
     *
     * @param uri the address
     * @param passwordElsewhere the password if the URI has none, empty for none
     * @throws IllegalArgumentException if the address is malformed; the message names the fix
     */
    static RedisAddress parse(String uri, String passwordElsewhere) {
        Matcher form = FORM.matcher(uri);
        if (!form.matches()) {
            throw malformed(uri, "write redis://HOST:PORT, with /DATABASE, ?layout=LAYOUT or #MASTER where needed");
        }
        String scheme = form.group(1).toLowerCase(Locale.ROOT);
        // redis://secret@host is a password for redis-cli and a user for others; only ':' tells them apart.
        String user =
                form.group(2) == null ? "" : UriParameters.decoded(form.group(2), reason -> malformed(uri, reason));
        String password = form.group(3) == null
                ? passwordElsewhere
                : UriParameters.decoded(form.group(3), reason -> malformed(uri, reason));
        List<Host> hosts = new ArrayList<>();
        for (String host : form.group(4).split(",", -1)) {
            hosts.add(host(uri, host, scheme.endsWith("sentinel") ? SENTINEL_PORT : PORT));
        }
        int database = form.group(5) == null || form.group(5).isEmpty() ? 0 : number(uri, form.group(5));
        Map<String, String> parameters = form.group(6) == null ? Map.of() : parameters(uri, form.group(6));
        String master = form.group(7) == null ? "" : form.group(7);
        RedisAddress address = new RedisAddress(
                scheme,
                user,
                password,
                List.copyOf(hosts),
                database,
                layout(uri, parameters),
                Optional.ofNullable(parameters.get(KEY_PREFIX)),
                master,
                parameters.getOrDefault(SENTINEL_PASSWORD, ""));
        address.check(uri);
        return address;
    }

    /** Returns the options with the prefix that the address names. */
    RedisOptions prefixed(RedisOptions options) {
        return keyPrefix.map(options::withKeyPrefix).orElse(options);
    }

    /** Returns the options with the prefix and the layout that the address names. */
    RedisOptions applyTo(RedisOptions options) {
        RedisOptions prefixed = prefixed(options);
        return layout.map(prefixed::withLayout).orElse(prefixed);
    }

    boolean isCluster() {
        return scheme.equals(CLUSTER) || scheme.equals(CLUSTER_TLS);
    }

    boolean isSentinel() {
        return scheme.equals(SENTINEL) || scheme.equals(SENTINEL_TLS);
    }

    /** The address of one server, or of the master that Sentinels name. */
    RedisURI single(Duration timeout) {
        RedisURI.Builder builder;
        if (isSentinel()) {
            builder = RedisURI.Builder.sentinel(hosts.get(0).name, hosts.get(0).port, master, ofSentinels());
            hosts.stream().skip(1).forEach(host -> builder.withSentinel(host.name, host.port, ofSentinels()));
        } else {
            builder = RedisURI.Builder.redis(hosts.get(0).name, hosts.get(0).port);
        }
        return completed(builder.withDatabase(database), timeout);
    }

    private @Nullable String ofSentinels() {
        return sentinelPassword.isEmpty() ? null : sentinelPassword;
    }

    /** The addresses of some nodes of a cluster. */
    List<RedisURI> nodes(Duration timeout) {
        return hosts.stream()
                .map(host -> completed(RedisURI.Builder.redis(host.name, host.port), timeout))
                .toList();
    }

    /** Opens the store with a client of our own. */
    LettuceStore open(Duration timeout) {
        return isCluster()
                ? LettuceStore.cluster(nodes(timeout), toString(), timeout)
                : LettuceStore.single(single(timeout), toString(), timeout);
    }

    private RedisURI completed(RedisURI.Builder builder, Duration timeout) {
        RedisURI address = builder.withSsl(scheme.startsWith("rediss"))
                .withTimeout(timeout)
                .build();
        if (!password.isEmpty()) {
            address.setCredentialsProvider(
                    RedisCredentialsProvider.from(() -> RedisCredentials.just(user.isEmpty() ? null : user, password)));
        }
        return address;
    }

    private void check(String uri) {
        if (isSentinel() && master.isEmpty()) {
            throw malformed(uri, "name the master that the Sentinels watch: " + scheme + "://HOST:PORT,…#MASTER");
        }
        if (master.indexOf('?') >= 0) {
            throw malformed(
                    uri, "parameters come before the master's name: " + scheme + "://HOST:PORT,…?layout=…#MASTER");
        }
        if (!isSentinel() && !master.isEmpty()) {
            throw malformed(uri, "only " + SENTINEL + ":// takes a master's name after #");
        }
        if (!isSentinel() && !sentinelPassword.isEmpty()) {
            throw malformed(
                    uri, SENTINEL_PASSWORD + " is for " + SENTINEL + "://; a server's password is written :PASSWORD@");
        }
        if (!isSentinel() && !isCluster() && hosts.size() > 1) {
            throw malformed(
                    uri, "one server has one host; write " + CLUSTER + ":// or " + SENTINEL + ":// for several");
        }
        if (isCluster() && database != 0) {
            throw malformed(uri, "a cluster has no databases");
        }
        if (!user.isEmpty() && password.isEmpty()) {
            throw malformed(
                    uri,
                    "a user needs a password: USER:PASSWORD@ or REDISCLI_AUTH; a password alone is"
                            + " written :PASSWORD@");
        }
    }

    private static Map<String, String> parameters(String uri, String text) {
        if (text.isEmpty()) {
            throw malformed(uri, "no parameter follows the question mark; leave it out");
        }
        Map<String, String> given = UriParameters.parse(text, reason -> malformed(uri, reason));
        for (String name : given.keySet()) {
            if (!PARAMETERS.contains(name)) {
                throw malformed(uri, UriParameters.unknown(name, PARAMETERS));
            }
        }
        return given;
    }

    /** Reads {@code layout=fenceline} or {@code layout=syncguard[&prefix=PREFIX]}. */
    private static Optional<KeyLayout> layout(String uri, Map<String, String> given) {
        Optional<String> prefix = Optional.ofNullable(given.get("prefix"));
        String layout = given.get("layout");
        if (layout == null && prefix.isEmpty()) {
            return Optional.empty();
        } else if ("syncguard".equals(layout)) {
            if (prefix.isEmpty() && given.containsKey(KEY_PREFIX)) { // what SyncGuard itself calls its prefix
                throw malformed(
                        uri,
                        "keyPrefix is that of Fenceline's own keys; name SyncGuard's by prefix, also if it is "
                                + SYNCGUARD_PREFIX);
            }
            return Optional.of(KeyLayout.syncGuard(prefix.orElse(SYNCGUARD_PREFIX)));
        } else if (prefix.isPresent()) {
            throw malformed(
                    uri,
                    "prefix is SyncGuard's and goes with layout=syncguard; that of Fenceline's own keys is keyPrefix");
        } else if ("fenceline".equals(layout)) {
            return Optional.of(KeyLayout.fenceline());
        }
        throw malformed(uri, "the layouts are fenceline and syncguard, not '" + layout + "'");
    }

    private static Host host(String uri, String text, int standardPort) {
        Matcher host = HOST.matcher(text);
        if (!host.matches()) {
            throw malformed(uri, "a host is written HOST or HOST:PORT, an IPv6 address in brackets");
        }
        int port = host.group(2) == null
                ? standardPort
                : UriParameters.port(host.group(2), reason -> malformed(uri, reason));
        return new Host(host.group(1).replaceAll("[\\[\\]]", ""), port);
    }

    private static int number(String uri, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException tooLarge) {
            throw malformed(uri, text + " is too large");
        }
    }

    private static IllegalArgumentException malformed(String uri, String fix) {
        return new IllegalArgumentException("'" + Backends.withoutPassword(uri) + "' is not a valid Redis URI: " + fix);
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return scheme + "://"
                + hosts.stream().map(Host::toString).collect(Collectors.joining(","))
                + (database == 0 ? "" : "/" + database)
                + (master.isEmpty() ? "" : "#" + master);
    }
}
