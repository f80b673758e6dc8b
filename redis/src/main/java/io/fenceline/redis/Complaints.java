package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells what Redis's errors mean: what kind of failure it is and what to do about it. */
final class Complaints {

    /**
     * The error's own name is its first word. A script's error has it there from Redis 7 on; before, it is somewhere in the
     * text after a minus sign.
     */
    private static final Pattern NAME = Pattern.compile("^(?!ERR )([A-Z]+)\\b|-([A-Z]{3,})\\b");

    private static final String RIGHTS = "the user lacks a right; Fenceline needs EVAL, EVALSHA, the commands of its"
            + " scripts, its keys and its channels";

    /** How Redis 7.0 puts it if a script's own command is forbidden. */
    private static final String MISSING_RIGHT = "The user executing the script can't";

    private static final Map<String, Meaning> MEANINGS = Map.ofEntries(
            away("LOADING", "it is reading its data; it answers soon"),
            away("CLUSTERDOWN", "the cluster does not serve this key now; see CLUSTER INFO"),
            away("MASTERDOWN", "it is a replica without its master"),
            away("READONLY", "it is a replica now and takes no writes; a fail-over may be under way"),
            away("MISCONF", "it takes no writes since it cannot save; see its log"),
            away("TRYAGAIN", "the key is moving to another node"),
            away("MOVED", "the key has moved to another node"),
            away("ASK", "the key is moving to another node"),
            away("UNBLOCKED", "it became a replica meanwhile"),
            away("NOREPLICAS", "it takes no writes since too few replicas are connected (min-replicas-to-write)"),
            away("BUSY", "a script of somebody has been running for too long; see SCRIPT KILL"),
            refused("NOAUTH", "it wants a password; put it into the URI or into REDISCLI_AUTH"),
            refused("WRONGPASS", "it does not accept the user or the password"),
            refused("NOPERM", RIGHTS),
            Map.entry("OOM", new Meaning(ErrorCode.RATE_LIMITED, "its memory is full (maxmemory)")));

    /** What only a replica answers. The address that we connected to may lead to the master by now. */
    private static final Set<String> OF_REPLICAS = Set.of("READONLY", "MASTERDOWN", "UNBLOCKED");

    private final String where;

    /**
     * Creates the tellers of one store's errors.
     *
     * @param where the store's address without a password
     */
    Complaints(String where) {
        this.where = where;
    }

    /** What an error answer means: the server did nothing, since our scripts begin with what can be refused. */
    BackendException answered(String error, @Nullable Throwable cause) {
        Matcher name = NAME.matcher(error);
        while (name.find()) {
            Meaning meaning = MEANINGS.get(name.group(1) != null ? name.group(1) : name.group(2));
            if (meaning != null) {
                // A right may be missing in the middle of a script.
                Effect effect = error.contains("NOPERM") ? Effect.UNKNOWN : Effect.NONE;
                return told(meaning.code, effect, meaning.what, cause);
            }
        }
        if (error.contains(MISSING_RIGHT)) {
            return told(ErrorCode.AUTH_FAILED, Effect.UNKNOWN, RIGHTS, cause);
        }
        if (error.contains("max number of clients")) {
            return told(ErrorCode.RATE_LIMITED, Effect.NONE, "it has as many clients as it takes (maxclients)", cause);
        }
        if (error.contains("invalid password") || error.contains("without any password configured")) {
            return told(ErrorCode.AUTH_FAILED, Effect.NONE, "it does not accept the password", cause);
        }
        return told(ErrorCode.INTERNAL, Effect.UNKNOWN, "it answered: " + error, cause);
    }

    /** Tells whether an error answer came from a replica. */
    static boolean isOfReplica(String error) {
        Matcher name = NAME.matcher(error);
        return name.find() && OF_REPLICAS.contains(name.group(1) != null ? name.group(1) : name.group(2));
    }

    BackendException notReached(@Nullable Throwable cause) {
        return told(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "it cannot be reached", cause);
    }

    BackendException cutOff(Effect effect, @Nullable Throwable cause) {
        return told(ErrorCode.SERVICE_UNAVAILABLE, effect, "the connection ended before an answer came", cause);
    }

    BackendException noAnswer(Effect effect, long millis, @Nullable Throwable cause) {
        return told(ErrorCode.NETWORK_TIMEOUT, effect, "no answer within " + millis + " ms", cause);
    }

    BackendException closed(Effect effect) {
        return told(ErrorCode.INTERNAL, effect, "this backend was closed", null);
    }

    BackendException told(ErrorCode code, Effect effect, String what, @Nullable Throwable cause) {
        return new BackendException(code, effect, "lock store " + where + ": " + what, cause);
    }

    private static Map.Entry<String, Meaning> away(String name, String what) {
        return Map.entry(name, new Meaning(ErrorCode.SERVICE_UNAVAILABLE, what));
    }

    private static Map.Entry<String, Meaning> refused(String name, String what) {
        return Map.entry(name, new Meaning(ErrorCode.AUTH_FAILED, what));
    }

    private record Meaning(ErrorCode code, String what) {}
}
