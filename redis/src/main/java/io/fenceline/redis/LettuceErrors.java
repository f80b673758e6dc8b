package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Tells what Lettuce's exceptions mean. */
final class LettuceErrors {

    /** What Lettuce says of a command that it did not send. */
    private static final String NOT_CONNECTED = "Currently not connected";

    private final Complaints complaints;
    private final long timeoutMillis;

    LettuceErrors(Complaints complaints, long timeoutMillis) {
        this.complaints = complaints;
        this.timeoutMillis = timeoutMillis;
    }

    /** Tells whether a command failed because the server is a replica. */
    static boolean isOfReplica(Throwable failure) {
        RedisCommandExecutionException answer = find(RedisCommandExecutionException.class, failure);
        return answer != null && Complaints.isOfReplica(String.valueOf(answer.getMessage()));
    }

    /**
     * Returns the error that a caller sees.
     *
     * @param effect what is known if the command may have arrived
     * @param failure how it failed
     */
    BackendException told(Effect effect, Throwable failure) {
        RedisCommandExecutionException answer = find(RedisCommandExecutionException.class, failure);
        if (answer != null) {
            return complaints.answered(String.valueOf(answer.getMessage()), failure);
        }
        if (find(RedisCommandTimeoutException.class, failure) != null) {
            return complaints.noAnswer(effect, timeoutMillis, failure);
        }
        if (wasNotSent(failure)) {
            return complaints.notReached(failure);
        }
        if (find(RedisException.class, failure) != null
                || find(IOException.class, failure) != null
                || find(CancellationException.class, failure) != null) {
            return complaints.cutOff(effect, failure);
        }
        return complaints.told(ErrorCode.INTERNAL, effect, "the driver failed: " + failure.getMessage(), failure);
    }

    /** The error of somebody who could not even connect. */
    BackendException unreached(Throwable failure) {
        BackendException told = told(Effect.NONE, failure);
        return told.code() == ErrorCode.INTERNAL || told.code() == ErrorCode.SERVICE_UNAVAILABLE
                ? complaints.notReached(failure)
                : told;
    }

    private static boolean wasNotSent(Throwable failure) {
        return find(RedisConnectionException.class, failure) != null
                || find(PartitionSelectorException.class, failure) != null
                || find(ClosedChannelException.class, failure) != null
                || String.valueOf(failure.getMessage()).startsWith(NOT_CONNECTED);
    }

    private static <T extends Throwable> @Nullable T find(Class<T> type, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
