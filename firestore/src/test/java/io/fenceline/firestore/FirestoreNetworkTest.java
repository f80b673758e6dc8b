package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A network that fails between a client and the emulator. A real project is reached by TLS, which a proxy cannot look into. */
@NeedsFirestore
@Timeout(300)
class FirestoreNetworkTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private ProxiedEmulator fixture;

    @BeforeEach
    void start() {
        assumeFalse(TestStore.get().isReal(), "needs the emulator");
        fixture = new ProxiedEmulator();
    }

    @AfterEach
    void end() {
        if (fixture != null) {
            fixture.close();
        }
    }

    @Test
    @Tag("G7")
    void aGrantWhoseAnswerWasLostIsRecognisedAndNotMadeTwice() {
        FirestoreLockBackend backend = fixture.open();
        backend.isLocked(KEY);
        CompletableFuture<byte[]> lost = fixture.proxy().loseReply(commitOf(KEY));
        LockId lockId = LockId.random();

        Acquisition answer;
        try {
            answer = acquire(backend, lockId);
        } catch (BackendException unknown) { // the client could not reconnect in time
            assertThat(unknown.effect()).isEqualTo(Effect.UNKNOWN);
            answer = acquire(fixture.open(), lockId);
        }

        assertThat(lost).isCompleted();
        assertThat(((Granted) answer).grant().token().value()).isEqualTo(1);
        assertThat(((Granted) answer).grant().lockId()).isEqualTo(lockId);
    }

    @Test
    @Tag("G6")
    void aReleaseWhoseAnswerWasLostIsRecognised() {
        FirestoreLockBackend backend = fixture.open();
        LockId lockId = LockId.random();
        acquire(backend, lockId);
        CompletableFuture<byte[]> lost = fixture.proxy().loseReply(commitOf(KEY));

        try {
            assertThat(backend.release(KEY, lockId)).isTrue();
        } catch (BackendException unknown) {
            assertThat(unknown.effect()).isEqualTo(Effect.UNKNOWN);
        }

        assertThat(lost).isCompleted();
        assertThat(fixture.open().isLocked(KEY)).isFalse();
    }

    @Test
    @Tag("G10")
    void aSilentStoreIsWaitedForNoLongerThanTheLimit() {
        FirestoreLockBackend backend = fixture.open(Duration.ofMillis(700));
        LockId lockId = LockId.random();
        fixture.proxy().stall();

        BackendException read = failure(() -> backend.isLocked(KEY));
        BackendException write = failure(() -> acquire(backend, lockId));

        assertThat(read.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        assertThat(read.effect()).isEqualTo(Effect.NONE);
        assertThat(write.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        assertThat(write.effect()).as("only the read was sent").isEqualTo(Effect.NONE);
    }

    @Test
    @Tag("G10")
    void anAttemptIsWaitedForNoLongerThanItsOwnTimeout() {
        Duration limit = Duration.ofSeconds(60);
        FirestoreLockBackend backend = fixture.open(limit);
        backend.isLocked(KEY);
        fixture.proxy().stall();
        long began = System.nanoTime();

        BackendException failure = failure(() -> backend.acquire(new AcquireRequest(
                KEY,
                LockId.random(),
                Duration.ofMinutes(1),
                Holder.of("node"),
                1,
                Duration.ZERO,
                Duration.ofMillis(300))));

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(limit.dividedBy(2));
        assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    }

    @Test
    @Tag("G10")
    void aCommitThatIsNotAnsweredHasAnUnknownEffect() {
        FirestoreLockBackend backend = fixture.open(Duration.ofMillis(1_500));
        backend.isLocked(KEY);
        CompletableFuture<byte[]> seen = fixture.proxy().loseRequest(commitOf(KEY));
        seen.thenRun(() -> fixture.proxy().refuse());

        BackendException failure = failure(() -> acquire(backend, LockId.random()));

        assertThat(failure.code()).isIn(ErrorCode.NETWORK_TIMEOUT, ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
    }

    @Nested
    class Outages extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new ProxiedEmulator();
        }
    }

    private static Acquisition acquire(FirestoreLockBackend backend, LockId lockId) {
        return backend.acquire(AcquireRequest.of(KEY, lockId, Duration.ofMinutes(5), Holder.of("me")));
    }

    private static BackendException failure(ThrowingCallable call) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    /** A commit names the operation, which a read does not. */
    private static Predicate<byte[]> commitOf(LockKey key) {
        return request -> {
            String text = new String(request, StandardCharsets.ISO_8859_1);
            return text.contains(key.value()) && text.contains(OperationNames.FIELD);
        };
    }
}
