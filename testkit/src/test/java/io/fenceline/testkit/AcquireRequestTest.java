package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A bad request fails before a backend sees it. */
@Tag("G9")
class AcquireRequestTest {

    @Test
    void isRefusedWithoutAPositiveTtlOfAtMostAYear() {
        Stream.of(
                        Duration.ZERO,
                        Duration.ofNanos(-1),
                        Duration.ofDays(-1),
                        Duration.ofDays(365).plusNanos(1))
                .forEach(ttl -> assertThatIllegalArgumentException().isThrownBy(() -> request(ttl, 1, Duration.ZERO)));
    }

    @Test
    void isRefusedWithoutATokenOrWithNegativePatience() {
        assertThatIllegalArgumentException().isThrownBy(() -> request(Duration.ofSeconds(1), 0, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> request(Duration.ofSeconds(1), 1, Duration.ofNanos(-1)));
    }

    @Test
    void roundsTheTtlUpToWholeMilliseconds() {
        assertThat(request(Duration.ofNanos(1), 1, Duration.ZERO).ttlMillis()).isEqualTo(1);
        assertThat(request(Duration.ofMillis(7), 1, Duration.ZERO).ttlMillis()).isEqualTo(7);
        assertThat(request(Duration.ofMillis(7).plusNanos(1), 1, Duration.ZERO).ttlMillis())
                .isEqualTo(8);
    }

    private AcquireRequest request(Duration ttl, int tokens, Duration maxWait) {
        return new AcquireRequest(LockKey.of("a"), LockId.random(), ttl, Holder.of("h"), tokens, maxWait);
    }
}
