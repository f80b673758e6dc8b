package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.testkit.net.RoundTrips;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each operation is one round trip once a backend is warm. Extended by tests with a {@link ProxiedFixture} whose backends send
 * nothing by themselves while they are not used.
 */
@Timeout(120)
public abstract class RoundTripContract extends AbilityContract {

    private static final int REPETITIONS = 5;

    /** Creates the contract; called by test engines. */
    protected RoundTripContract() {}

    @Override
    protected abstract ProxiedFixture newFixture();

    @BeforeEach
    final void warmUp() {
        for (int i = 0; i < 2 * REPETITIONS; i++) { // drivers prepare a statement when they have seen it a few times
            NetworkVocabulary.warm(backend);
            Grant grant = take(OTHER_KEY);
            isRefused(OTHER_KEY);
            assertThat(release(grant)).isTrue();
        }
        untilQuiet();
    }

    @Test
    void isOneForAnAcquireThatIsGranted() {
        for (int i = 0; i < REPETITIONS; i++) {
            Grant[] grant = new Grant[1];
            assertOne(() -> grant[0] = take(KEY));
            release(grant[0]);
        }
    }

    @Test
    void isOneForAnAcquireOfAnExpiredLock() {
        takeAndLetExpire(KEY);
        assertOne(() -> take(KEY));
    }

    @Test
    void isOneForAnAcquireOfAFreshKey() {
        for (int i = 0; i < REPETITIONS; i++) {
            LockKey fresh = LockKey.of("fresh " + i);
            assertOne(() -> take(fresh));
        }
    }

    @Test
    void isOneForAnAcquireThatIsRefused() {
        take(KEY);
        assertOneEach(() -> isRefused(KEY));
    }

    @Test
    void isOneForAnAcquireThatIsRepeated() {
        Grant grant = take(KEY);
        assertOneEach(() -> backend.acquire(request(KEY, grant.lockId(), LONG_TTL)));
    }

    @Test
    void isOneForAnExtension() {
        Grant grant = take(KEY);
        assertOneEach(() -> assertThat(extend(grant, LONG_TTL)).isTrue());
        assertOneEach(() -> backend.extend(KEY, LockId.random(), LONG_TTL));
    }

    @Test
    void isOneForARelease() {
        for (int i = 0; i < REPETITIONS; i++) {
            Grant grant = take(KEY);
            assertOne(() -> assertThat(release(grant)).isTrue());
            assertOne(() -> assertThat(release(grant)).isFalse());
        }
    }

    @Test
    void isOneForAReleaseWithARest() {
        Grant grant = take(KEY);
        assertOneEach(() ->
                assertThat(backend.releaseAfter(KEY, grant.lockId(), LONG_TTL)).isTrue());
        assertOneEach(() -> backend.releaseAfter(KEY, LockId.random(), LONG_TTL));
    }

    @Test
    void isOneForALookUpByKey() {
        Grant grant = take(KEY);
        assertOneEach(() -> assertHeldBy(grant));
        assertOneEach(() -> backend.lookup(OTHER_KEY));
    }

    @Test
    void isOneForALookUpByLockIdAtTheMostTwoWhereTheStoreHasNoIndex() {
        Grant grant = take(KEY);
        long trips = proxied().findsLockIdsAtOnce() ? 1 : 2;
        assertThat(roundTrips()
                        .countDuring(
                                () -> assertThat(backend.lookup(grant.lockId())).isPresent()))
                .isEqualTo(trips);
    }

    @Test
    void isOneForIsLocked() {
        assertOneEach(() -> backend.isLocked(KEY));
        take(KEY);
        assertOneEach(() -> assertThat(backend.isLocked(KEY)).isTrue());
    }

    private ProxiedFixture proxied() {
        return (ProxiedFixture) fixture();
    }

    private RoundTrips roundTrips() {
        return proxied().proxy().roundTrips();
    }

    private void assertOneEach(Runnable operation) {
        for (int i = 0; i < REPETITIONS; i++) {
            assertOne(operation);
        }
    }

    private void assertOne(Runnable operation) {
        assertThat(roundTrips().countDuring(operation)).as("round trips").isEqualTo(1);
    }

    /** A pool may still be filling up. */
    private void untilQuiet() {
        for (int i = 0; i < 100; i++) {
            long passed = roundTrips().countDuring(() -> fixture().passTime(Duration.ofMillis(30)));
            if (passed == 0) {
                return;
            }
        }
        throw new AssertionError("the backend does not stop talking to its store");
    }
}
