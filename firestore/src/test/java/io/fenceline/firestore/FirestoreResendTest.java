package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
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
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
    private static final FenceStamp STAMP = new FenceStamp(KEY, FencingToken.of(1));
    private static final String COUNT = "count";

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

    enum Overtaker {
        WRITE {
            @Override
            void overtake(FirestoreFenceGuard guard, DocumentReference document) {
                guard.write("counter", STAMP, batch -> increment(document, batch));
            }
        },
        TRANSACTION {
            @Override
            void overtake(FirestoreFenceGuard guard, DocumentReference document) {
                guard.transact(
                        "counter", STAMP, transaction -> transaction.update(document, COUNT, FieldValue.increment(1)));
            }
        },
        CLAIM_OF_A_GREATER_TOKEN {
            @Override
            void overtake(FirestoreFenceGuard guard, DocumentReference document) {
                guard.claim("counter", new FenceStamp(KEY, FencingToken.of(2)));
                document.update(COUNT, FieldValue.increment(1));
            }
        };

        abstract void overtake(FirestoreFenceGuard guard, DocumentReference document);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("R3")
    void anEffectActsOnceThoughAnotherWritesBeforeTheCommitIsSentAgain(Overtaker overtaker) throws Exception {
        DocumentReference document = counter();
        FirestoreFenceGuard other = guard(TestStore.sharedClient());
        faults = new CommitFaults(
                false, List.of(Fault.lost(Code.UNAVAILABLE, () -> overtaker.overtake(other, document)), Fault.none()));

        guard(faults.client()).write("counter", STAMP, batch -> increment(document, batch));

        assertThat(document.get().get().getLong(COUNT)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Code.class,
            names = {"UNAVAILABLE", "ABORTED"})
    @Tag("R3")
    void aTransactionActsOnceThoughItsCommitWasAppliedAndThenFailed(Code second) throws Exception {
        DocumentReference document = counter();
        FirestoreFenceGuard other = guard(TestStore.sharedClient());
        faults = new CommitFaults(
                false,
                List.of(
                        Fault.lost(Code.UNAVAILABLE, () -> Overtaker.WRITE.overtake(other, document)),
                        second == Code.ABORTED ? Fault.refused(second) : Fault.none(),
                        Fault.none()));

        Overtaker.TRANSACTION.overtake(guard(faults.client()), document);

        assertThat(faults.commits()).isEqualTo(2);
        assertThat(document.get().get().getLong(COUNT)).isEqualTo(2);
    }

    @Test
    @Tag("R3")
    void aCommitThatTooManyOthersHaveOvertakenHasAnUnknownEffect() throws Exception {
        DocumentReference document = counter();
        FirestoreFenceGuard other = guard(TestStore.sharedClient());
        faults = new CommitFaults(
                false,
                List.of(
                        Fault.lost(Code.UNAVAILABLE, () -> {
                            for (int i = 0; i < OperationNames.KEPT; i++) {
                                other.write("counter", STAMP, batch -> {});
                            }
                        }),
                        Fault.none()));

        BackendException failure =
                failure(() -> guard(faults.client()).write("counter", STAMP, batch -> increment(document, batch)));

        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(document.get().get().getLong(COUNT)).isEqualTo(1);
    }

    private DocumentReference counter() throws Exception {
        DocumentReference document =
                TestStore.sharedClient().collection(prefix + "_data").document("counter");
        document.set(Map.of(COUNT, 0)).get();
        return document;
    }

    private FirestoreFenceGuard guard(Firestore client) {
        return FirestoreFenceGuard.on(client, FirestoreGuardOptions.defaults().withPrefix(prefix));
    }

    private static void increment(DocumentReference document, WriteBatch batch) {
        batch.update(document, COUNT, FieldValue.increment(1));
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
