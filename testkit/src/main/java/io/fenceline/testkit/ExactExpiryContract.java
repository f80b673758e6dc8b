package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.LockId;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Contract of expiry to the millisecond. For fixtures whose {@link BackendFixture#passTime} moves the store's clock by exactly
 * the given time, and whose clock stands still otherwise.
 */
public abstract class ExactExpiryContract extends AbilityContract {

    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration ONE_MILLI = Duration.ofMillis(1);

    /** Creates the contract; called by test engines. */
    protected ExactExpiryContract() {}

    @Test
    @Tag("G1")
    void refusesOthersUpToTheLastMillisecondAndGrantsAtTheEnd() {
        take(KEY, TTL);

        fixture().passTime(counted(TTL).minus(ONE_MILLI));
        assertThat(isRefused(KEY).remaining()).isEqualTo(ONE_MILLI);

        fixture().passTime(ONE_MILLI);
        assertFree(KEY);
        take(KEY);
    }

    @Test
    @Tag("G6")
    void extendsInTheLastMillisecondAndNotAtTheEnd() {
        Grant grant = take(KEY, TTL);

        fixture().passTime(counted(TTL).minus(ONE_MILLI));
        assertThat(extend(grant, TTL)).isTrue();

        fixture().passTime(counted(TTL));
        assertThat(extend(grant, TTL)).isFalse();
    }

    @Test
    @Tag("G6")
    void keepsForARestInTheLastMillisecondAndNotAtTheEnd() {
        Grant grant = take(KEY, TTL);

        fixture().passTime(counted(TTL).minus(ONE_MILLI));
        assertThat(backend.releaseAfter(KEY, grant.lockId(), TTL)).isTrue();

        fixture().passTime(counted(TTL).minus(ONE_MILLI));
        assertThat(isRefused(KEY).remaining()).isEqualTo(ONE_MILLI);
        fixture().passTime(ONE_MILLI);
        assertThat(backend.releaseAfter(KEY, grant.lockId(), TTL)).isFalse();
        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void releasesInTheLastMillisecondAndNotAtTheEnd() {
        Grant one = take(KEY, TTL);
        Grant two = take(OTHER_KEY, TTL);

        fixture().passTime(counted(TTL).minus(ONE_MILLI));
        assertThat(release(one)).isTrue();

        fixture().passTime(ONE_MILLI);
        assertThat(release(two)).isFalse();
    }

    @Test
    @Tag("G7")
    void repeatsAGrantInTheLastMillisecondAndNotAtTheEnd() {
        Grant grant = take(KEY, TTL);

        fixture().passTime(counted(TTL).minus(ONE_MILLI));
        assertThat(granted(backend.acquire(request(KEY, grant.lockId(), TTL)))).isEqualTo(grant);

        fixture().passTime(ONE_MILLI);
        assertThat(granted(backend.acquire(request(KEY, grant.lockId(), TTL))).token())
                .isGreaterThan(grant.token());
    }

    @Test
    @Tag("G8")
    void tellsTheTimeThatIsLeft() {
        Grant grant = take(KEY, TTL);

        fixture().passTime(Duration.ofSeconds(3));

        assertThat(record(KEY).remaining()).isEqualTo(counted(Duration.ofSeconds(7)));
        assertThat(isRefused(KEY).remaining()).isEqualTo(counted(Duration.ofSeconds(7)));
        assertThat(extend(grant, Duration.ofSeconds(2))).isTrue();
        assertThat(record(KEY).remaining()).isEqualTo(counted(Duration.ofSeconds(7)));
        assertThat(extend(grant, Duration.ofSeconds(12))).isTrue();
        assertThat(record(KEY).remaining()).isEqualTo(counted(Duration.ofSeconds(12)));
    }

    @Test
    @Tag("G1")
    void keepsALeaseOfOneMillisecondForOneMillisecond() {
        take(KEY, ONE_MILLI);
        isRefused(KEY);

        fixture().passTime(counted(ONE_MILLI));

        take(KEY);
    }

    @Test
    @Tag("G1")
    void roundsAPartOfAMillisecondUp() {
        granted(backend.acquire(request(KEY, LockId.random(), Duration.ofNanos(1))));

        isRefused(KEY);
    }
}
