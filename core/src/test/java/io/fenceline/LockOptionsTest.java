package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockOptionsTest {

    private final LockOptions defaults = LockOptions.defaults();

    @Test
    void areThoseOfTheManualByDefault() {
        assertThat(defaults.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.maxWait()).isEqualTo(Duration.ofSeconds(5));
        assertThat(defaults.retry()).isEqualTo(RetryPolicy.defaults());
        assertThat(defaults.renewed()).isTrue();
        assertThat(defaults.interruptedOnLoss()).isFalse();
        assertThat(defaults.safetyMargin()).isNull();
    }

    @Test
    void changeOneAtATime() {
        RetryPolicy retry = RetryPolicy.defaults().withBackoff(RetryPolicy.Backoff.FIXED);

        LockOptions changed = defaults.withTtl(Duration.ofSeconds(7))
                .withMaxWait(Duration.ZERO)
                .withRetry(retry)
                .withoutRenewal()
                .withSafetyMargin(Duration.ofSeconds(1))
                .withInterruptOnLoss()
                .withMinHold(Duration.ofMinutes(1))
                .withHolder(Holder.of("me"));

        assertThat(changed)
                .isEqualTo(new LockOptions(
                        Duration.ofSeconds(7),
                        Duration.ZERO,
                        retry,
                        false,
                        Duration.ofSeconds(1),
                        true,
                        Duration.ofMinutes(1),
                        Holder.of("me")));
        assertThat(defaults).isEqualTo(LockOptions.defaults());
    }

    @Test
    void needATtl() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withTtl(Duration.ZERO))
                .withMessageContaining("ttl is PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withTtl(Duration.ofMillis(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withTtl(Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(defaults.withTtl(Duration.ofDays(365)).ttl()).isEqualTo(Duration.ofDays(365));
    }

    @Test
    void haveAMinimumHoldOfAYearAtMost() {
        assertThat(defaults.minHold()).isZero();
        assertThat(defaults.withMinHold(LockOptions.MAX_TTL).minHold()).isEqualTo(LockOptions.MAX_TTL);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMinHold(Duration.ofMillis(-1)))
                .withMessageContaining("minHold is PT-0.001S");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withMinHold(LockOptions.MAX_TTL.plusNanos(1)));
    }

    @Test
    void cannotWaitBackwards() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMaxWait(Duration.ofNanos(-1)))
                .withMessageContaining("maxWait is PT-0.000000001S");
    }

    @Test
    void takeATwentiethOfTheTtlAsMargin() {
        assertThat(defaults.marginOf(Duration.ofSeconds(30))).isEqualTo(Duration.ofMillis(1500));
        assertThat(defaults.marginOf(Duration.ofMillis(1))).isEqualTo(Duration.ofNanos(50_000));
    }

    @Test
    void takeAnotherMarginThatLeavesTime() {
        assertThat(defaults.withSafetyMargin(Duration.ofSeconds(7)).marginOf(Duration.ofSeconds(30)))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(defaults.withSafetyMargin(Duration.ZERO).marginOf(Duration.ofSeconds(30)))
                .isZero();
        assertThat(defaults.withSafetyMargin(Duration.ofSeconds(29)).marginOf(Duration.ofSeconds(29)))
                .as("for a shorter extension")
                .isEqualTo(Duration.ofMillis(14_500));
    }

    @Test
    void refuseAMarginThatLeavesNoTime() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withSafetyMargin(Duration.ofSeconds(30)))
                .withMessageContaining("safetyMargin is PT30S");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withSafetyMargin(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> defaults.withSafetyMargin(Duration.ofSeconds(20)).withTtl(Duration.ofSeconds(20)));
    }
}
