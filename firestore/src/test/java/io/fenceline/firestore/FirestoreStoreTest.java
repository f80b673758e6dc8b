package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.cloud.firestore.Firestore;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is particular to Firestore: its documents, its clock, its addresses. */
@NeedsFirestore
class FirestoreStoreTest {

    private static final LockKey KEY = LockKey.of("invoices/42");

    private final FirestoreFixture fixture = new FirestoreFixture(TestStore.get());

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void isOpenedByItsUri() {
        try (LockBackend backend = Backends.open(fixture.uri())) {
            assertThat(backend).isInstanceOf(FirestoreLockBackend.class);
            assertThat(backend.isLocked(KEY)).isFalse();
        }
    }

    @Test
    @Tag("G10")
    void endsItsOwnClientAndFailsInNoOtherWayForThoseWhoAreAtIt() throws Exception {
        FirestoreLockBackend backend = fixture.openByUri();
        CountDownLatch atIt = new CountDownLatch(3);
        List<FutureTask<BackendException>> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FutureTask<BackendException> caller = new FutureTask<>(() -> callUntilClosed(backend, atIt));
            callers.add(caller);
            new Thread(caller).start();
        }
        atIt.await();

        backend.close();

        for (FutureTask<BackendException> caller : callers) {
            assertThat(caller.get(30, TimeUnit.SECONDS)).hasMessageContaining("closed");
        }
    }

    private static BackendException callUntilClosed(LockBackend backend, CountDownLatch atIt) {
        for (int call = 0; ; call++) {
            try {
                LockId lockId = LockId.random();
                backend.acquire(AcquireRequest.of(KEY, lockId, Duration.ofMinutes(1), Holder.of("me")));
                backend.release(KEY, lockId);
            } catch (BackendException closed) {
                return closed;
            }
            if (call == 0) {
                atIt.countDown();
            }
        }
    }

    @Test
    void wakesAWaiterOfAnotherProcessWhenALeaseEnds() throws Exception {
        try (Locks here = Locks.over(fixture.open());
                Locks there = Locks.over(fixture.open())) {
            Lease held = here.acquire("invoices/42");
            FutureTask<Long> waiting = new FutureTask<>(() -> {
                try (Lease lease = there.acquire("invoices/42")) {
                    return lease.token().value();
                }
            });
            new Thread(waiting).start();
            held.close();

            assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(2);
        }
    }

    @Test
    @Tag("G3")
    void keepsALockInOneReadableDocument() throws Exception {
        fixture.open().acquire(AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me")));

        Map<String, Object> fields = fields(KEY);

        assertThat(fields)
                .containsEntry("key", "invoices/42")
                .containsEntry("lastToken", 1L)
                .containsEntry("holder", "me")
                .containsKeys("lockId", "acquiredAt", "expiresAt", OperationNames.FIELD);
    }

    @Test
    @Tag("G2")
    void keepsTheCounterAndNothingOfTheLeaseAfterARelease() throws Exception {
        LockBackend backend = fixture.open();
        LockId lockId = LockId.random();
        backend.acquire(AcquireRequest.of(KEY, lockId, Duration.ofMinutes(1), Holder.of("me")));
        backend.release(KEY, lockId);

        assertThat(fields(KEY)).containsOnlyKeys("key", "lastToken", OperationNames.FIELD);
    }

    @Test
    void recordsWhatOperatorsDo() throws Exception {
        LockBackend backend = fixture.open();
        backend.acquire(AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me")));
        backend.ability(LockCatalog.class).orElseThrow().forceRelease(KEY, Holder.of("operator"));

        Firestore client = TestStore.get().client();
        try {
            List<Map<String, Object>> entries =
                    client.collection(fixture.prefix() + "_audit").get().get().getDocuments().stream()
                            .map(entry -> entry.getData())
                            .toList();
            assertThat(entries).hasSize(1);
            assertThat(entries.get(0))
                    .containsEntry("act", "force-release")
                    .containsEntry("name", "invoices/42")
                    .containsEntry("by", "operator")
                    .containsKey("at");
        } finally {
            client.shutdown();
        }
    }

    @Test
    @Tag("G10")
    void saysWhichDocumentSomebodyElseSpoiled() throws Exception {
        LockBackend backend = fixture.open();
        Firestore client = TestStore.get().client();
        try {
            new FirestoreCollections(client, fixture.prefix())
                    .lock(KEY.value())
                    .set(Map.of("key", KEY.value(), "lastToken", "many"))
                    .get();
        } finally {
            client.shutdown();
        }

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> backend.acquire(
                        AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me"))))
                .withMessageContaining("_locks/invoices~142")
                .returns(ErrorCode.INTERNAL, BackendException::code);
    }

    @Test
    void measuresTheClockByTheWayAndReportsIt() {
        FirestoreLockBackend backend = fixture.openByUri();

        assertThat(backend.clockSkew().orElseThrow().exceeds(Duration.ofMinutes(1)))
                .isFalse();
        List<Finding> findings =
                backend.ability(SelfDiagnosis.class).orElseThrow().diagnose();
        assertThat(findings)
                .extracting(Finding::subject)
                .contains("store", "clock", "index of lockId", "index of held");
        assertThat(findings).extracting(Finding::severity).doesNotContain(SelfDiagnosis.Severity.PROBLEM);
    }

    @Test
    @Tag("G10")
    void thatNobodyListensAtIsToldAsUnavailable() {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> Backends.open("firestore://project?emulator=127.0.0.1:1"))
                .returns(ErrorCode.SERVICE_UNAVAILABLE, BackendException::code)
                .withMessageContaining("firestore://project/(default)?emulator=127.0.0.1:1");
    }

    @Test
    void refusesAPrefixThatIsNoName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FirestoreLockOptions.defaults().withPrefix("a/b"))
                .withMessageContaining("'a/b'");
    }

    private Map<String, Object> fields(LockKey key) throws Exception {
        Firestore client = TestStore.get().client();
        try {
            return new FirestoreCollections(client, fixture.prefix())
                    .lock(key.value())
                    .get()
                    .get()
                    .getData();
        } finally {
            client.shutdown();
        }
    }
}
