package io.fenceline.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.ErrorCode;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ExitCodeTest {

    /** As 'fenceline exec --help' has them. */
    @Test
    void eachKindOfFailureHasItsOwn() {
        Map<ErrorCode, Integer> codes =
                Arrays.stream(ErrorCode.values()).collect(Collectors.toMap(code -> code, ExitCode::of));

        assertThat(codes)
                .isEqualTo(Map.of(
                        ErrorCode.ACQUISITION_TIMEOUT, 1,
                        ErrorCode.SERVICE_UNAVAILABLE, 69,
                        ErrorCode.INTERNAL, 70,
                        ErrorCode.STORE_FULL, 73,
                        ErrorCode.NETWORK_TIMEOUT, 74,
                        ErrorCode.ABORTED, 75,
                        ErrorCode.RATE_LIMITED, 76,
                        ErrorCode.AUTH_FAILED, 77,
                        ErrorCode.MISCONFIGURED, 78,
                        ErrorCode.LEASE_LOST, 122));
    }
}
