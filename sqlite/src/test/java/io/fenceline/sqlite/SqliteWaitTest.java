package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writers that wait for another writer. */
@Timeout(60)
class SqliteWaitTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    @TempDir
    Path folder;

    private final ManualMachine machine = new ManualMachine();
    private final CountDownLatch enough = new CountDownLatch(1);
    private SqliteLockBackend backend;
    private CompletableFuture<Boolean> writer;

    @BeforeEach
    void startWriting() throws InterruptedException {
        backend = open(Duration.ofSeconds(30));
        backend.release(KEY, LockId.random()); // the first change makes the tables
        CountDownLatch writing = new CountDownLatch(1);
        writer = CompletableFuture.supplyAsync(
                () -> {
                    try (SqliteConnection connection =
                            SqliteConnection.toWrite(file(), Duration.ofSeconds(10), MachineClock.system())) {
                        return connection.inTransaction(statements -> {
                            writing.countDown();
                            return await(enough);
                        });
                    }
                },
                task -> new Thread(task).start());
        writing.await();
    }

    @AfterEach
    void stopWriting() {
        enough.countDown();
        writer.join();
        backend.close();
    }

    /** A time read before the wait would let the lease begin, and so end, too early. */
    @Test
    @Tag("G1")
    void theClockIsReadAfterTheWait() {
        CompletableFuture<Grantee> waiting = new CompletableFuture<>();
        startAcquire(backend, waiting);

        machine.pass(Duration.ofMinutes(1));
        long wallMillis = machine.read().wallMillis();
        enough.countDown();

        assertThat(waiting.join().granted().grant().acquiredAt().toEpochMilli()).isEqualTo(wallMillis);
    }

    @Test
    void anInterruptNeitherEndsTheWaitNorIsLost() {
        CompletableFuture<Grantee> waiting = new CompletableFuture<>();
        Thread waiter = startAcquire(backend, waiting);

        waiter.interrupt();
        Thread second = startAcquire(backend, new CompletableFuture<>());
        second.interrupt();
        assertThat(waiting).isNotDone();
        enough.countDown();

        assertThat(waiting.join().interrupted()).isTrue();
        assertThat(waiting.join().answer()).isInstanceOf(Granted.class);
    }

    @Test
    @Tag("G10")
    void theWaitHasALimit() {
        try (SqliteLockBackend impatient = open(Duration.ofMillis(100))) {
            long start = System.nanoTime();

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> impatient.acquire(request()))
                    .withMessageContaining(file().toString())
                    .returns(ErrorCode.SERVICE_UNAVAILABLE, BackendException::code)
                    .returns(Effect.NONE, BackendException::effect);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        }
    }

    @Test
    @Tag("L5")
    void anAttemptWithATimeoutOfItsOwnWaitsNoLongerThanThat() {
        AcquireRequest impatient = new AcquireRequest(
                KEY,
                LockId.random(),
                Duration.ofSeconds(30),
                Holder.of("test"),
                1,
                Duration.ZERO,
                Duration.ofMillis(200));
        long start = System.nanoTime();

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> backend.acquire(impatient))
                .returns(ErrorCode.SERVICE_UNAVAILABLE, BackendException::code)
                .returns(Effect.NONE, BackendException::effect);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    @Tag("L5")
    void anAttemptWithATimeoutOfItsOwnWaitsNoLongerThanThatForOtherThreadsOfItsProcess() {
        startAcquire(backend, new CompletableFuture<>());
        long start = System.nanoTime();

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> backend.acquire(new AcquireRequest(
                        KEY,
                        LockId.random(),
                        Duration.ofSeconds(30),
                        Holder.of("test"),
                        1,
                        Duration.ZERO,
                        Duration.ofMillis(200))))
                .returns(Effect.NONE, BackendException::effect);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    @Tag("G8")
    void readersDoNotWait() {
        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat(backend.lookup(LockId.random())).isEmpty();
    }

    private record Grantee(Acquisition answer, boolean interrupted) {
        Granted granted() {
            return (Granted) answer;
        }
    }

    /** Returns once the thread waits for the write lock. */
    private static Thread startAcquire(SqliteLockBackend backend, CompletableFuture<Grantee> outcome) {
        Thread waiter = new Thread(() -> {
            try {
                Acquisition answer = backend.acquire(request());
                outcome.complete(new Grantee(answer, Thread.interrupted()));
            } catch (RuntimeException e) {
                outcome.completeExceptionally(e);
            }
        });
        waiter.start();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            assertThat(outcome).isNotDone();
            Thread.onSpinWait();
        }
        return waiter;
    }

    private SqliteLockBackend open(Duration busyLimit) {
        return SqliteLockBackend.open(file(), SqliteOptions.defaults().withBusyLimit(busyLimit), machine);
    }

    private Path file() {
        return folder.resolve("locks.db");
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), Duration.ofSeconds(30), Holder.of("test"));
    }

    private static boolean await(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
