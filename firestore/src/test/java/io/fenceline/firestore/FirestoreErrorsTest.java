package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiExceptionFactory;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.grpc.Status;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("G10")
class FirestoreErrorsTest {

    private final FirestoreErrors errors = new FirestoreErrors("firestore://p/(default)");

    @ParameterizedTest
    @CsvSource({
        "UNAVAILABLE, SERVICE_UNAVAILABLE, UNKNOWN",
        "INTERNAL, SERVICE_UNAVAILABLE, UNKNOWN",
        "UNKNOWN, SERVICE_UNAVAILABLE, UNKNOWN",
        "CANCELLED, SERVICE_UNAVAILABLE, UNKNOWN",
        "DEADLINE_EXCEEDED, NETWORK_TIMEOUT, UNKNOWN",
        "ABORTED, SERVICE_UNAVAILABLE, UNKNOWN",
        "RESOURCE_EXHAUSTED, RATE_LIMITED, UNKNOWN",
        "UNAUTHENTICATED, AUTH_FAILED, UNKNOWN",
        "PERMISSION_DENIED, AUTH_FAILED, UNKNOWN",
        "INVALID_ARGUMENT, INTERNAL, NONE",
        "NOT_FOUND, INTERNAL, UNKNOWN",
        "FAILED_PRECONDITION, INTERNAL, UNKNOWN",
        "DATA_LOSS, INTERNAL, UNKNOWN",
    })
    void tellWhatEachStatusMeansOfACommit(Status.Code status, ErrorCode code, Effect effect) {
        BackendException told = errors.failure(Effect.UNKNOWN, failure(status));

        assertThat(told.code()).isEqualTo(code);
        assertThat(told.effect()).isEqualTo(effect);
        assertThat(told).hasMessageContaining("firestore://p/(default)");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
    void noReadHasAnEffect(Status.Code status) {
        assertThat(errors.failure(Effect.NONE, failure(status)).effect()).isEqualTo(Effect.NONE);
    }

    private static Exception failure(Status.Code status) {
        return ApiExceptionFactory.createException(
                Status.fromCode(status).withDescription("said").asRuntimeException(), GrpcStatusCode.of(status), false);
    }
}
