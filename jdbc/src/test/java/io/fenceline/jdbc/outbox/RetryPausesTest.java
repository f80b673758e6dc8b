package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.RetryPolicy;
import io.fenceline.RetryPolicy.Backoff;
import io.fenceline.RetryPolicy.Jitter;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RetryPausesTest {

    private static final RetryPolicy POLICY =
            new RetryPolicy(Duration.ofSeconds(1), Duration.ofMinutes(5), Backoff.EXPONENTIAL, Jitter.NONE);

    @Test
    void doubleUpToTheLongest() {
        RetryPauses pauses = new RetryPauses(POLICY);

        assertThat(pauses.millisAfter(1)).isEqualTo(1_000);
        assertThat(pauses.millisAfter(2)).isEqualTo(2_000);
        assertThat(pauses.millisAfter(9)).isEqualTo(256_000);
        assertThat(pauses.millisAfter(10)).isEqualTo(300_000);
        assertThat(pauses.millisAfter(Integer.MAX_VALUE)).isEqualTo(300_000);
    }

    @Test
    void stayWhereThatIsThePolicy() {
        assertThat(new RetryPauses(POLICY.withBackoff(Backoff.FIXED)).millisAfter(7))
                .isEqualTo(1_000);
    }

    @RepeatedTest(20)
    void areLeftToChanceInPart() {
        assertThat(new RetryPauses(POLICY.withJitter(Jitter.EQUAL)).millisAfter(2))
                .isBetween(1_000L, 2_000L);
        assertThat(new RetryPauses(POLICY.withJitter(Jitter.FULL)).millisAfter(2))
                .isBetween(0L, 2_000L);
    }
}
