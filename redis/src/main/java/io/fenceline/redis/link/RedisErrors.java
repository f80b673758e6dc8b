package io.fenceline.redis.link;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Maps Redis errors to exceptions with a code and advice. */
public final class RedisErrors {

    /**
     * The name of an error is its first word. For a script's error before Redis 7 it is somewhere in the text, after a minus
     * sign.
     */
    private static final Pattern NAME = Pattern.compile("^(?!ERR )([A-Z]+)\\b|-([A-Z]{3,})\\b");

    private static final String PERMISSIONS =
            "the user lacks a permission; Fenceline needs EVAL, EVALSHA, the commands of its"
                    + " scripts, its keys and its channels";

    /** Error text of Redis 7.0 for a script that calls a forbidden command. */
    private static final String MISSING_PERMISSION = "The user executing the script can't";

    /** What WAIT answers where the server becomes a replica meanwhile. */
    private static final String UNBLOCKED = "UNBLOCKED";

    private static final Map<String, Meaning> MEANINGS = Map.ofEntries(
            unavailable("LOADING", "it is loading its data; retry soon"),
            unavailable("CLUSTERDOWN", "the cluster does not serve this key now; see CLUSTER INFO"),
            unavailable("MASTERDOWN", "it is a replica without its master"),
            unavailable("READONLY", "it is read-only, being a replica now; a failover may be in progress"),
            unavailable("MISCONF", "it is read-only, since it cannot save; see its log"),
            unavailable("TRYAGAIN", "the key is moving to another node"),
            unavailable("MOVED", "the key is on another node"),
            unavailable("ASK", "the key is moving to another node"),
            unavailable(UNBLOCKED, "it became a replica in the meantime"),
            unavailable("NOREPLICAS", "it is read-only, since too few replicas are connected (min-replicas-to-write)"),
            unavailable("BUSY", "another client's script has been running for too long; see SCRIPT KILL"),
            refused(
                    "NOAUTH",
                    "it requires a password; put it into the URI or into REDISCLI_AUTH, and that of Sentinels into the"
                            + " URI as ?sentinelPassword=PASSWORD"),
            refused("WRONGPASS", "it does not accept the user or the password"),
            refused("NOPERM", PERMISSIONS),
            Map.entry("OOM", new Meaning(ErrorCode.RATE_LIMITED, "its memory is full (maxmemory)")));

    /** Errors without a name of their own, by a part of their text. */
    private static final Map<String, Meaning> PHRASES = Map.of(
            "DB index is out of range",
            misconfigured("it has no database of that number; see 'databases' in its configuration (16 by default)"),
            "cluster support disabled",
            misconfigured("it is not in cluster mode; use a URI that begins with redis:"),
            "unknown command 'CLUSTER'",
            misconfigured(
                    "it knows no command CLUSTER: it is a Sentinel, for a URI that begins with redis-sentinel:, or not in"
                            + " cluster mode, for one that begins with redis:"),
            "cluster is down",
            new Meaning(ErrorCode.SERVICE_UNAVAILABLE, "the cluster does not serve all keys now; see CLUSTER INFO"),
            "unknown command 'SENTINEL'",
            misconfigured("it is not a Sentinel; name the Sentinels, or use a URI that begins with redis:"),
            "max number of clients",
            new Meaning(ErrorCode.RATE_LIMITED, "it has reached its maximum of clients (maxclients)"),
            "invalid password",
            new Meaning(ErrorCode.AUTH_FAILED, "it does not accept the password"),
            "without any password configured",
            new Meaning(ErrorCode.AUTH_FAILED, "it does not accept the password"));

    /** Errors that only a replica returns. */
    private static final Set<String> REPLICA_ERRORS = Set.of("READONLY", "MASTERDOWN", UNBLOCKED);

    private final String where;
    private final boolean cluster;

    /** {@code where} is the address without the password, {@code cluster} whether it is that of a whole cluster. */
    RedisErrors(String where, boolean cluster) {
        this.where = where;
        this.cluster = cluster;
    }

    /** Maps an error reply. The server did nothing: our scripts begin with the commands that can be refused. */
    public BackendException ofReply(String error, @Nullable Throwable cause) {
        if (error.startsWith("MOVED ") && !cluster) {
            return nodeOfCluster(cause);
        }
        Matcher name = NAME.matcher(error);
        while (name.find()) {
            Meaning meaning = MEANINGS.get(name.group(1) != null ? name.group(1) : name.group(2));
            if (meaning != null) {
                // A permission may be missing in the middle of a script, and WAIT comes after a script that was done.
                boolean late = error.contains("NOPERM") || error.contains(UNBLOCKED);
                Effect effect = late ? Effect.UNKNOWN : Effect.NONE;
                return failure(meaning.code, effect, meaning.what, cause);
            }
        }
        if (error.contains(MISSING_PERMISSION)) {
            return failure(ErrorCode.AUTH_FAILED, Effect.UNKNOWN, PERMISSIONS, cause);
        }
        for (Map.Entry<String, Meaning> phrase : PHRASES.entrySet()) {
            if (error.contains(phrase.getKey())) {
                return failure(phrase.getValue().code, Effect.NONE, phrase.getValue().what, cause);
            }
        }
        return failure(ErrorCode.INTERNAL, Effect.UNKNOWN, "it replied: " + error, cause);
    }

    /** Returns whether an error reply came from a replica. */
    public static boolean isOfReplica(String error) {
        Matcher name = NAME.matcher(error);
        return name.find() && REPLICA_ERRORS.contains(name.group(1) != null ? name.group(1) : name.group(2));
    }

    public BackendException unreachable(@Nullable Throwable cause) {
        return failure(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "it cannot be reached", cause);
    }

    BackendException notRedis(Throwable cause) {
        return failure(
                ErrorCode.SERVICE_UNAVAILABLE,
                Effect.NONE,
                "what listens there does not answer as Redis does; check host and port",
                cause);
    }

    BackendException endsConnections(Throwable cause) {
        return failure(
                ErrorCode.SERVICE_UNAVAILABLE,
                Effect.NONE,
                "it cannot be reached: what listens there does not answer as Redis does, and ends connections; check host and"
                        + " port, and whether it wants TLS (rediss:)",
                cause);
    }

    BackendException nodeOfCluster(@Nullable Throwable cause) {
        return failure(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "it is a node of a cluster, which has other keys on other nodes; use a URI that begins with redis-cluster:",
                cause);
    }

    BackendException sentinel() {
        return failure(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "it is a Sentinel; use a URI that begins with redis-sentinel: and ends with # and the master's name",
                null);
    }

    BackendException unknownMaster(Throwable cause) {
        return failure(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "a Sentinel answers that it knows no master of that name; check what follows # in the URI, and each Sentinel",
                cause);
    }

    BackendException noTls(Throwable cause) {
        return failure(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "it does not speak TLS on this port; use a URI that begins with redis instead of rediss, or its TLS port",
                cause);
    }

    BackendException noTlsAgreed(Throwable cause) {
        return failure(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "no TLS connection is agreed on (" + cause.getMessage()
                        + "); the JVM takes the authorities that it trusts from -Djavax.net.ssl.trustStore=FILE, and a certificate"
                        + " to show from -Djavax.net.ssl.keyStore=FILE, with trustStorePassword and keyStorePassword; for the"
                        + " command they are in FENCELINE_JAVA_OPTS",
                cause);
    }

    BackendException unreadableKeys(String file, Exception cause) {
        return failure(
                ErrorCode.MISCONFIGURED,
                Effect.NONE,
                "the key store of -Djavax.net.ssl.keyStore=" + file + " cannot be read (" + cause
                        + "); see the file, its password (keyStorePassword) and its type (keyStoreType)",
                cause);
    }

    BackendException unknownHost(Throwable cause) {
        return failure(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "its host is unknown; check the name", cause);
    }

    public BackendException disconnected(Effect effect, @Nullable Throwable cause) {
        return failure(ErrorCode.SERVICE_UNAVAILABLE, effect, "the connection ended before a reply came", cause);
    }

    public BackendException timedOut(Effect effect, long millis, @Nullable Throwable cause) {
        return failure(ErrorCode.NETWORK_TIMEOUT, effect, "no reply within " + millis + " ms", cause);
    }

    public BackendException closed(Effect effect) {
        return failure(ErrorCode.INTERNAL, effect, "this backend was closed", null);
    }

    public BackendException failure(ErrorCode code, Effect effect, String what, @Nullable Throwable cause) {
        return new BackendException(code, effect, "lock store " + where + ": " + what, cause);
    }

    private static Map.Entry<String, Meaning> unavailable(String name, String what) {
        return Map.entry(name, new Meaning(ErrorCode.SERVICE_UNAVAILABLE, what));
    }

    private static Map.Entry<String, Meaning> refused(String name, String what) {
        return Map.entry(name, new Meaning(ErrorCode.AUTH_FAILED, what));
    }

    private static Meaning misconfigured(String what) {
        return new Meaning(ErrorCode.MISCONFIGURED, what);
    }

    private record Meaning(ErrorCode code, String what) {}
}
