package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The pauses of a waiter that is refused though no lease runs. */
class BusyPausesTest {

    private static final Duration BUSY = Duration.ZERO;

    private final Backoff backoff = new Backoff(
            new RetryPolicy(
                    Duration.ofMillis(100),
                    Duration.ofSeconds(1),
                    RetryPolicy.Backoff.EXPONENTIAL,
                    RetryPolicy.Jitter.NONE),
            () -> 0.0);

    @Test
    void growAndBeginAnewAfterALeaseRan() {
        assertThat(pauseMillis(BUSY)).isEqualTo(1);
        assertThat(pauseMillis(BUSY)).isEqualTo(2);
        assertThat(pauseMillis(Duration.ofMillis(70))).isEqualTo(70);

        assertThat(pauseMillis(BUSY)).isEqualTo(1);
    }

    private long pauseMillis(Duration remaining) {
        return Duration.ofNanos(backoff.afterLeaseEndNanos(remaining.toNanos())).toMillis();
    }
}
