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

/** Maps gRPC statuses to exceptions with a code and advice. */
final class FirestoreErrors {

    private final String where;

    /** {@code where} is the store's address. */
    FirestoreErrors(String where) {
        this.where = where;
    }

    /**
     * Returns whether a commit was refused because a precondition failed or another client held a lock. Nothing of it was
     * applied, unless the client had sent it twice: then the first one may be the reason for the refusal.
     */
    static boolean isConflict(Throwable failure) {
        return switch (status(failure).orElse(Status.Code.OK)) {
            case FAILED_PRECONDITION, ALREADY_EXISTS, NOT_FOUND, ABORTED -> true;
            default -> false;
        };
    }

    /** Returns whether the store aborted a commit or a transaction because others used the same documents. */
    static boolean isAborted(Throwable failure) {
        return status(failure).orElse(Status.Code.OK) == Status.Code.ABORTED;
    }

    /** Returns whether a failure came from the store, or from the client on its behalf. */
    static boolean isOfTheStore(Throwable failure) {
        return status(failure).isPresent();
    }

    static boolean isNotFound(Throwable failure) {
        return status(failure).orElse(Status.Code.OK) == Status.Code.NOT_FOUND;
    }

    /**
     * Maps a failure; {@code effect} applies if a request may have arrived. The client retries requests after {@code UNAVAILABLE}
     * and {@code RESOURCE_EXHAUSTED}, and reports the status of the last one. So the status proves nothing about the earlier ones,
     * unless it would have been the same for each.
     */
    BackendException failure(Effect effect, Throwable failure) {
        Status.Code status = status(failure).orElse(null);
        if (status == null) {
            return failure(ErrorCode.INTERNAL, effect, "the client failed: " + failure, failure);
        }
        return switch (status) {
            case UNAVAILABLE ->
                failure(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        effect,
                        "it cannot be reached, or the connection ended before a reply came",
                        failure);
            // The status of a connection that breaks in the middle of a message, or of a failing server.
            case INTERNAL, UNKNOWN ->
                failure(ErrorCode.SERVICE_UNAVAILABLE, effect, "it failed with " + message(status, failure), failure);
            case CANCELLED ->
                failure(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        effect,
                        "the request was cancelled before a reply came",
                        failure);
            case DEADLINE_EXCEEDED -> failure(ErrorCode.NETWORK_TIMEOUT, effect, "no reply in time", failure);
            case ABORTED ->
                failure(
                        ErrorCode.SERVICE_UNAVAILABLE,
                        effect,
                        "other clients use the same documents: " + message(status, failure),
                        failure);
            case RESOURCE_EXHAUSTED ->
                failure(ErrorCode.RATE_LIMITED, effect, "a quota is used up: " + message(status, failure), failure);
            case UNAUTHENTICATED ->
                failure(
                        ErrorCode.AUTH_FAILED,
                        effect,
                        "it rejects our credentials; set GOOGLE_APPLICATION_CREDENTIALS or log in with"
                                + " 'gcloud auth application-default login'",
                        failure);
            case PERMISSION_DENIED ->
                failure(
                        ErrorCode.AUTH_FAILED,
                        effect,
                        "the account lacks a permission (roles/datastore.user has all that are needed): "
                                + message(status, failure),
                        failure);
            case INVALID_ARGUMENT, UNIMPLEMENTED, OUT_OF_RANGE ->
                failure(ErrorCode.INTERNAL, Effect.NONE, "it replied: " + message(status, failure), failure);
            default -> failure(ErrorCode.INTERNAL, effect, "it replied: " + message(status, failure), failure);
        };
    }

    BackendException timedOut(Effect effect, Duration limit, Throwable cause) {
        return failure(ErrorCode.NETWORK_TIMEOUT, effect, "no reply within " + limit.toMillis() + " ms", cause);
    }

    /** Every attempt lost, or seemed to: a refused commit may have been applied when it was first sent. */
    BackendException contended(String what, @Nullable Throwable lastRefusal) {
        return failure(
                ErrorCode.SERVICE_UNAVAILABLE,
                Effect.UNKNOWN,
                "other clients changed " + what + " at the same time, again and again",
                lastRefusal);
    }

    /** A precondition of the caller's own write failed. */
    BackendException notPossible(Throwable refusal) {
        return failure(
                ErrorCode.ABORTED,
                Effect.NONE,
                "a precondition of the effect failed: " + refusal.getMessage(),
                refusal);
    }

    BackendException damaged(String document, Throwable cause) {
        return failure(
                ErrorCode.INTERNAL,
                Effect.NONE,
                "document " + document + " is not as Fenceline wrote it: " + cause.getMessage(),
                cause);
    }

    BackendException closed(Effect effect, @Nullable Throwable cause) {
        return failure(ErrorCode.INTERNAL, effect, "this backend was closed", cause);
    }

    BackendException failure(ErrorCode code, Effect effect, String what, @Nullable Throwable cause) {
        return new BackendException(code, effect, "lock store " + where + ": " + what, cause);
    }

    /** Finds the status in the exceptions that the layers of the client wrap around it. */
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
