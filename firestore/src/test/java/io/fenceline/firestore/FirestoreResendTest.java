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
import io.fenceline.firestore.CommitFaults.Fault;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Commits that the client sends again by itself: what it is told in the end is the fate of the last, and an earlier one may have
 * been applied.
 */
@NeedsFirestore
@Timeout(120)
class FirestoreResendTest {

    private static final LockKey KEY = LockKey.of("resource:123");
    private static final Duration TTL = Duration.ofMinutes(5);

    enum Layout {
        OURS {
            @Override
            DocumentLayout named(String prefix) {
                return DocumentLayout.fenceline(prefix);
            }
        },
        SYNCGUARD {
            @Override
            DocumentLayout named(String prefix) {
                return DocumentLayout.syncGuard(prefix + "_locks", prefix + "_fence_counters");
            }
        };

        abstract DocumentLayout named(String prefix);
    }

    private final String prefix = TestStore.freshPrefix();
    private CommitFaults faults;

    @BeforeEach
    void needTheEmulator() {
        assumeFalse(TestStore.get().isReal(), "nothing comes between a client and a real project");
    }

    @AfterEach
    void close() {
        if (faults != null) {
            faults.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("G10")
    void aCommitThatWasAppliedAndThenMetAQuotaHasAnUnknownEffect(Layout layout) {
        LockBackend backend = open(layout, Fault.lost(Code.UNAVAILABLE), Fault.refused(Code.RESOURCE_EXHAUSTED));

        BackendException failure = failure(() -> acquire(backend, LockId.random()));

        assertThat(backend.isLocked(KEY)).isTrue();
        assertThat(failure.code()).isEqualTo(ErrorCode.RATE_LIMITED);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("G7")
    void aGrantOfTheLastAttemptIsRecognisedThatWasThenGivenUp(Layout layout) {
        LockBackend backend =
                open(layout, Fault.refused(Code.ABORTED), Fault.lost(Code.UNAVAILABLE), Fault.refused(Code.ABORTED));
        LockId lockId = LockId.random();

        Granted granted = (Granted) acquire(backend, lockId);

        assertThat(faults.commits()).isEqualTo(3);
        assertThat(granted.grant().lockId()).isEqualTo(lockId);
        assertThat(granted.grant().token().value()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("G10")
    void aChangeThatWasGivenUpEachTimeHasAnUnknownEffect(Layout layout) {
        LockBackend backend = open(layout, Fault.none(), Fault.refused(Code.ABORTED));
        LockId lockId = LockId.random();
        acquire(backend, lockId);

        BackendException failure = failure(() -> backend.extend(KEY, lockId, TTL));

        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("G10")
    void aLookThatFailsAfterARefusalSaysNothingOfTheCommit(Layout layout) {
        faults = new CommitFaults(true, List.of(Fault.lost(Code.UNAVAILABLE), Fault.none()));
        LockBackend backend = over(layout);

        BackendException failure = failure(() -> acquire(backend, LockId.random()));

        assertThat(faults.commits()).isEqualTo(2);
        assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
    }

    private LockBackend open(Layout layout, Fault... commits) {
        faults = new CommitFaults(false, List.of(commits));
        return over(layout);
    }

    private LockBackend over(Layout layout) {
        return FirestoreLockBackend.over(
                faults.client(),
                FirestoreLockOptions.defaults()
                        .withLayout(layout.named(prefix))
                        .withCommandTimeout(Duration.ofSeconds(20)));
    }

    private static Acquisition acquire(LockBackend backend, LockId lockId) {
        return backend.acquire(AcquireRequest.of(KEY, lockId, TTL, Holder.of("me")));
    }

    private static BackendException failure(ThrowingCallable call) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }
}
