package io.fenceline.redis.link;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.protocol.RedisProtocolException;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CancellationException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Maps Lettuce exceptions to {@link BackendException}s. */
final class LettuceErrors {

    /** Lettuce's message for a command that it did not send. */
    private static final String NOT_CONNECTED = "Currently not connected";

    /** Lettuce's message where Sentinels answer that they have no such master. */
    private static final String UNKNOWN_MASTER = "Cannot provide redisAddress using sentinel";

    /** Lettuce's and the system's messages for a connection that the server ended before it replied. */
    private static final List<String> ENDED_AT_ONCE = List.of("Connection closed prematurely", "Connection reset");

    private final RedisErrors replies;
    private final long timeoutMillis;

    LettuceErrors(RedisErrors replies, long timeoutMillis) {
        this.replies = replies;
        this.timeoutMillis = timeoutMillis;
    }

    /** Returns whether a command failed because the server is a replica. */
    static boolean isOfReplica(Throwable failure) {
        RedisCommandExecutionException answer = find(RedisCommandExecutionException.class, failure);
        return answer != null && RedisErrors.isOfReplica(String.valueOf(answer.getMessage()));
    }

    /** Maps a failure; {@code effect} applies if the command may have arrived. */
    BackendException failure(Effect effect, Throwable failure) {
        RedisCommandExecutionException answer = find(RedisCommandExecutionException.class, failure);
        if (answer != null) {
            return replies.ofReply(String.valueOf(answer.getMessage()), failure);
        }
        if (find(RedisCommandTimeoutException.class, failure) != null) {
            return replies.timedOut(effect, timeoutMillis, failure);
        }
        if (wasNotSent(failure)) {
            return replies.unreachable(failure);
        }
        if (find(RedisException.class, failure) != null
                || find(IOException.class, failure) != null
                || find(CancellationException.class, failure) != null) {
            return replies.disconnected(effect, failure);
        }
        return replies.failure(ErrorCode.INTERNAL, effect, "the driver failed: " + failure.getMessage(), failure);
    }

    /** Maps a failure to connect. */
    BackendException connectFailed(Throwable failure) {
        if (find(UnknownHostException.class, failure) != null) {
            return replies.unknownHost(failure);
        }
        Throwable refusal = tlsRefusal(failure);
        if (refusal != null) {
            return replies.noTlsAgreed(refusal);
        }
        if (String.valueOf(rootOf(failure).getMessage()).startsWith(UNKNOWN_MASTER)) {
            return replies.unknownMaster(failure);
        }
        if (find(RedisProtocolException.class, failure) != null) {
            return replies.notRedis(failure);
        }
        BackendException mapped = failure(Effect.NONE, failure);
        if (mapped.code() != ErrorCode.INTERNAL && mapped.code() != ErrorCode.SERVICE_UNAVAILABLE) {
            return mapped;
        }
        return wasEndedAtOnce(failure) ? replies.endsConnections(failure) : replies.unreachable(failure);
    }

    private static boolean wasNotSent(Throwable failure) {
        return find(RedisConnectionException.class, failure) != null
                || find(PartitionSelectorException.class, failure) != null
                || find(ClosedChannelException.class, failure) != null
                || isNotConnected(failure);
    }

    /** Returns whether a command was not sent because its connection is lost and not restored yet. */
    static boolean isNotConnected(Throwable failure) {
        return String.valueOf(failure.getMessage()).startsWith(NOT_CONNECTED);
    }

    /** Returns why one side refuses the other's certificate, or ours cannot be read; null if that is not what failed, as where the server went away. */
    private static @Nullable Throwable tlsRefusal(Throwable failure) {
        Throwable refusal = find(GeneralSecurityException.class, failure);
        return refusal == null && find(EOFException.class, failure) == null
                ? find(SSLHandshakeException.class, failure)
                : refusal;
    }

    /** As by a server of another kind, or with TLS, to which Redis's greeting is no request. */
    static boolean wasEndedAtOnce(Throwable failure) {
        String message = String.valueOf(rootOf(failure).getMessage());
        return ENDED_AT_ONCE.stream().anyMatch(message::startsWith);
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Looks through suppressed failures too: that is where Lettuce puts those of the nodes of a cluster and of Sentinels. */
    private static <T extends Throwable> @Nullable T find(Class<T> type, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
            for (Throwable suppressed : cause.getSuppressed()) {
                T found = find(type, suppressed);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }
}
