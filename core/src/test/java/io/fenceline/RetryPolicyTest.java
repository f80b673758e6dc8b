package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

    private final RetryPolicy defaults = RetryPolicy.defaults();

    @Test
    void growsFromATenthOfASecondToASecondByDefault() {
        assertThat(defaults)
                .isEqualTo(new RetryPolicy(
                        Duration.ofMillis(100),
                        Duration.ofSeconds(1),
                        RetryPolicy.Backoff.EXPONENTIAL,
                        RetryPolicy.Jitter.EQUAL));
    }

    @Test
    void changesOneThingAtATime() {
        assertThat(defaults.withBaseDelay(Duration.ofMillis(5))
                        .withMaxDelay(Duration.ofMillis(50))
                        .withBackoff(RetryPolicy.Backoff.FIXED)
                        .withJitter(RetryPolicy.Jitter.NONE))
                .isEqualTo(new RetryPolicy(
                        Duration.ofMillis(5),
                        Duration.ofMillis(50),
                        RetryPolicy.Backoff.FIXED,
                        RetryPolicy.Jitter.NONE));
    }

    @Test
    void raisesTheLongestPauseWithTheFirst() {
        assertThat(defaults.withBaseDelay(Duration.ofSeconds(3)).maxDelay()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void neverAsksWithoutAPause() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withBaseDelay(Duration.ZERO))
                .withMessageContaining("baseDelay is PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withBaseDelay(Duration.ofMillis(-1)));
    }

    @Test
    void keepsTheLongestPauseBetweenTheFirstAndADay() {
        assertThat(defaults.withMaxDelay(Duration.ofDays(1)).maxDelay()).isEqualTo(Duration.ofDays(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMaxDelay(Duration.ofMillis(99)))
                .withMessageContaining("PT0.099S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMaxDelay(Duration.ofDays(1).plusNanos(1)));
    }
}
