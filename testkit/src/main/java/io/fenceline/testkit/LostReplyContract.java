package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract for the case that the store acted and its reply was lost, or the request was lost and the store did not act. */
abstract class LostReplyContract extends NetworkVocabulary {

    @BeforeEach
    void warmUp() {
        warm(backend);
    }

    @Test
    @Tag("G7")
    void toAGrantIsMadeGoodByAskingAgainUnderTheSameLockId() {
        AcquireRequest request = request(KEY, LockId.random(), LONG_TTL);
        assertUnknownAfterLostReply(() -> backend.acquire(request));
        Grant stored = retrying(() -> record(KEY)).raw();

        Grant grant = granted(retrying(() -> backend.acquire(request)));

        assertThat(grant).isEqualTo(stored);
        assertThat(grant.lockId()).isEqualTo(request.lockId());
        assertHeldBy(grant);
        assertThat(release(grant)).isTrue();
        assertThat(take(KEY).token()).isGreaterThan(grant.token());
    }

    @Test
    @Tag("G6")
    void toAGrantCanBeUndoneByReleasingTheLockId() {
        LockId lockId = LockId.random();
        assertUnknownAfterLostReply(() -> backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertThat(retrying(() -> backend.release(KEY, lockId))).isTrue();

        assertFree(KEY);
    }

    @Test
    @Tag("G3")
    void toARefusalChangesNothing() {
        Grant holder = take(KEY);
        assertUnknownAfterLostReply(() -> backend.acquire(request(KEY, LockId.random(), LONG_TTL)));

        assertThat(retrying(() -> record(KEY)).raw()).isEqualTo(holder);
        assertThat(release(holder)).isTrue();
    }

    @Test
    @Tag("G6")
    void toAReleaseIsFollowedByFalse() {
        Grant grant = take(KEY);
        assertUnknownAfterLostReply(() -> release(grant));

        assertThat(retrying(() -> release(grant))).isFalse();

        assertFree(KEY);
        Grant next = take(KEY);
        assertThat(next.token()).isGreaterThan(grant.token());
        assertThat(release(grant)).isFalse();
        assertHeldBy(next);
    }

    @Test
    @Tag("G6")
    void toAnExtensionLeavesTheLeaseWithItsHolder() {
        Grant grant = take(KEY);
        assertUnknownAfterLostReply(() -> extend(grant, LONG_TTL.multipliedBy(2)));

        assertThat(retrying(() -> record(KEY)).remaining()).isGreaterThan(LONG_TTL);
        assertThat(extend(grant, LONG_TTL.multipliedBy(3))).isTrue();
        assertThat(record(KEY).remaining()).isGreaterThan(LONG_TTL.multipliedBy(2));
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G10")
    void toAReadIsAnOutageOrMadeGood() {
        Grant grant = take(KEY);
        CompletableFuture<byte[]> lost = proxy().loseReply(request -> fixture().carries(request, KEY));

        try {
            assertHeldBy(grant);
        } catch (BackendException noticed) {
            assertOutage(noticed);
        }

        assertThat(lost).isCompleted();
        assertThat(retrying(() -> backend.isLocked(KEY))).isTrue();
    }

    @Test
    @Tag("G10")
    void isNotToldFromALostRequest() {
        LockId lockId = LockId.random();
        CompletableFuture<byte[]> lost =
                proxy().loseRequest(request -> fixture().carries(request, KEY));

        BackendException failure = outageOf(() -> backend.acquire(request(KEY, lockId, LONG_TTL)));

        assertThat(lost).isCompleted();
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(retrying(() -> backend.isLocked(KEY))).isFalse();
        assertThat(retrying(() -> backend.release(KEY, lockId))).isFalse();
        takeAndRelease(KEY);
    }

    private void assertUnknownAfterLostReply(ThrowingCallable call) {
        CompletableFuture<byte[]> lost = proxy().loseReply(request -> fixture().carries(request, KEY));

        BackendException failure = outageOf(call);

        assertThat(lost).as("a request about " + KEY + " was seen").isCompleted();
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
    }
}
