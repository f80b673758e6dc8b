package io.fenceline.firestore;

import com.google.api.gax.rpc.ApiException;
import com.google.cloud.firestore.FirestoreException;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells what the store's errors, which are statuses of gRPC, mean. */
final class FirestoreErrors {

    private final String where;

    /**
     * Creates the teller of one store's errors.
     *
     * @param where the store's address
     */
    FirestoreErrors(String where) {
        this.where = where;
    }

    /**
     * Tells whether a commit was refused since a condition did not hold or since somebody else was at it. Then nothing of it was
     * applied, unless the client had sent it before: an earlier one whose answer was lost may be what it was refused for.
     */
    static boolean isConflict(Throwable failure) {
        return switch (status(failure).orElse(Status.Code.OK)) {
            case FAILED_PRECONDITION, ALREADY_EXISTS, NOT_FOUND, ABORTED -> true;
            default -> false;
        };
    }

    /** Tells whether the store gave a commit or a transaction up since others were at the same documents. */
    static boolean isAborted(Throwable failure) {
        return status(failure).orElse(Status.Code.OK) == Status.Code.ABORTED;
    }

    /** Tells whether a failure came from the store or from the client on its behalf. */
    static boolean isOfTheStore(Throwable failure) {
        return status(failure).isPresent();
    }

    static boolean isNotFound(Throwable failure) {
        return status(failure).orElse(Status.Code.OK) == Status.Code.NOT_FOUND;
    }

    /**
     * Returns the error that a caller sees. The client sends a request again that was answered by {@code UNAVAILABLE} or {@code
     * RESOURCE_EXHAUSTED}, and the status is that of the last one. So it says nothing of the earlier ones, unless it would have been
     * the same for each.
     *
     * @param effect what is known if a request may have arrived
     * @param failure how it failed
     */
    BackendException told(Effect effect, Throwable failure) {
        Status.Code status = status(failure).orElse(null);
        if (status == null) {
            return told(ErrorCode.INTERNAL, effect, "the client failed: " + failure, failure);
        }
        return switch (status) {
            case UNAVAILABLE ->
                told(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        effect,
                        "it cannot be reached, or the connection ended before an answer came",
                        failure);
            // What a connection that breaks in the middle of a message, or a server in trouble, is told as.
            case INTERNAL, UNKNOWN ->
                told(ErrorCode.SERVICE_UNAVAILABLE, effect, "it failed with " + message(status, failure), failure);
            case CANCELLED ->
                told(ErrorCode.SERVICE_UNAVAILABLE, effect, "the request was cancelled before an answer came", failure);
            case DEADLINE_EXCEEDED -> told(ErrorCode.NETWORK_TIMEOUT, effect, "no answer in time", failure);
            case ABORTED ->
                told(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        effect,
                        "others are at work on the same documents: " + message(status, failure),
                        failure);
            case RESOURCE_EXHAUSTED ->
                told(ErrorCode.RATE_LIMITED, effect, "a quota is used up: " + message(status, failure), failure);
            case UNAUTHENTICATED ->
                told(
                        ErrorCode.AUTH_FAILED,
                        effect,
                        "it does not know who we are; set GOOGLE_APPLICATION_CREDENTIALS or log in with"
                                + " 'gcloud auth application-default login'",
                        failure);
            case PERMISSION_DENIED ->
                told(
                        ErrorCode.AUTH_FAILED,
                        effect,
                        "the account lacks a right, roles/datastore.user has those that are needed: "
                                + message(status, failure),
                        failure);
            case INVALID_ARGUMENT, UNIMPLEMENTED, OUT_OF_RANGE ->
                told(ErrorCode.INTERNAL, Effect.NONE, "it answered: " + message(status, failure), failure);
            default -> told(ErrorCode.INTERNAL, effect, "it answered: " + message(status, failure), failure);
        };
    }

    BackendException noAnswer(Effect effect, Duration limit, Throwable cause) {
        return told(ErrorCode.NETWORK_TIMEOUT, effect, "no answer within " + limit.toMillis() + " ms", cause);
    }

    /** Others were faster each time, or seemed to be: a refused commit may have been sent before and applied. */
    BackendException contended(String what, @Nullable Throwable lastRefusal) {
        return told(
                ErrorCode.SERVICE_UNAVAILABLE,
                Effect.UNKNOWN,
                "others changed " + what + " at the same time, again and again",
                lastRefusal);
    }

    /** Something that the caller wants to write has a condition of its own, which does not hold. */
    BackendException notPossible(Throwable refusal) {
        return told(
                ErrorCode.ABORTED,
                Effect.NONE,
                "a condition of the effect itself does not hold: " + refusal.getMessage(),
                refusal);
    }

    BackendException damaged(String document, Throwable cause) {
        return told(
                ErrorCode.INTERNAL,
                Effect.NONE,
                "document " + document + " is not as Fenceline wrote it: " + cause.getMessage(),
                cause);
    }

    BackendException closed(Effect effect, @Nullable Throwable cause) {
        return told(ErrorCode.INTERNAL, effect, "this backend was closed", cause);
    }

    BackendException told(ErrorCode code, Effect effect, String what, @Nullable Throwable cause) {
        return new BackendException(code, effect, "lock store " + where + ": " + what, cause);
    }

    /** Finds the status, which each layer of the client wraps in an exception of its own. */
    private static Optional<Status.Code> status(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FirestoreException firestore && firestore.getStatus() != null) {
                return Optional.of(firestore.getStatus().getCode());
            }
            if (cause instanceof ApiException api) {
                return Optional.of(
                        Status.Code.valueOf(api.getStatusCode().getCode().name()));
            }
            if (cause instanceof StatusRuntimeException grpc) {
                return Optional.of(grpc.getStatus().getCode());
            }
            if (cause instanceof StatusException grpc) {
                return Optional.of(grpc.getStatus().getCode());
            }
        }
        return Optional.empty();
    }

    private static String message(Status.Code status, Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        String text = String.valueOf(innermost.getMessage());
        return text.startsWith(status.name()) ? text : status + ": " + text;
    }
}
