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
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Severity;
import io.fenceline.time.Delays;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on one store. {@code -Dfenceline.length=10} lasts ten times as long. */
@Timeout(600)
@DisabledOnOs(OS.WINDOWS)
class SqliteProcessesTest {

    private static final LockKey KEY = LockKey.of("hot");
    private static final int LENGTH = Integer.getInteger("fenceline.length", 1);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    @Tag("G2")
    void sixteenProcessesShareAFreshStoreAndNoneStarvesOrSeesAnError() throws Exception {
        List<ClientProcess> clients = IntStream.range(0, 16)
                .mapToObj(i -> ClientProcess.start(store(), "contend", KEY.value(), tokens(i)))
                .toList();
        clients.forEach(ClientProcess::awaitReady);

        clients.forEach(ClientProcess::nudge);
        for (int i = 0; i < clients.size(); i++) {
            awaitTokens(i, 5 * LENGTH);
        }
        clients.forEach(ClientProcess::nudge);

        assertThat(clients).allSatisfy(client -> assertThat(client.awaitExit()).isZero());
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            List<Long> mine = grantedTokens(i);
            assertThat(mine).as("tokens of process " + i).isSorted();
            all.addAll(mine);
        }
        assertThat(all).doesNotHaveDuplicates();
    }

    @Test
    @Tag("G2")
    void processesThatAreKilledAtAnyMomentLeaveASoundStoreAndTheirTokensAreNotGivenAgain() throws Exception {
        Random random = new Random(Long.getLong("fenceline.seed", System.nanoTime()));
        List<ClientProcess> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(ClientProcess.start(store(), "contend", KEY.value(), tokens(i))
                    .awaitReady()
                    .nudge());
        }
        for (int kill = 0; kill < 8 * LENGTH; kill++) {
            int victim = kill % clients.size();
            pass(Duration.ofMillis(50 + random.nextInt(100)));
            clients.get(victim).close();
            clients.set(
                    victim,
                    ClientProcess.start(store(), "contend", KEY.value(), tokens(victim))
                            .awaitReady()
                            .nudge());
        }
        clients.forEach(ClientProcess::close);

        List<Long> all = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            all.addAll(grantedTokens(i));
        }
        assertThat(all).hasSizeGreaterThan(clients.size()).doesNotHaveDuplicates();
        try (LockBackend backend = open()) {
            Granted next = acquirePatiently(backend);
            assertThat(all)
                    .allSatisfy(
                            token -> assertThat(next.grant().token().value()).isGreaterThan(token));
            assertThat(backend.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                    .noneMatch(finding -> finding.severity() == Severity.PROBLEM);
        }
    }

    @Test
    @Tag("G11")
    void aProcessThatIsStoppedWhileItWritesIsNamedAndReadersAreNotHeldUp() throws Exception {
        try (LockBackend before = open()) {
            before.ability(SchemaControl.class).orElseThrow().installSchema();
        }
        try (LockBackend backend = SqliteLockBackend.open(
                        store(), SqliteOptions.defaults().withBusyLimit(Duration.ofMillis(300)));
                ClientProcess writer =
                        ClientProcess.start(store(), "keep-write-lock").awaitReady()) {
            writer.signal("STOP");

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> backend.acquire(request()))
                    .withMessageContaining("process " + writer.pid())
                    .withMessageContaining("was stopped")
                    .withMessageContaining("kill -CONT " + writer.pid())
                    .returns(ErrorCode.SERVICE_UNAVAILABLE, BackendException::code)
                    .returns(Effect.NONE, BackendException::effect);
            assertThat(backend.isLocked(KEY)).isFalse();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            List<Future<Acquisition>> refused =
                    threads.invokeAll(Collections.nCopies(4, () -> backend.acquire(request())));
            threads.shutdown();
            assertThat(refused)
                    .allSatisfy(each -> assertThatExceptionOfType(ExecutionException.class)
                            .isThrownBy(each::get)
                            .havingCause()
                            .withMessageContaining("process " + writer.pid()));

            writer.signal("KILL");
            writer.awaitExit();
            assertThat(backend.acquire(request())).isInstanceOf(Granted.class);
        }
    }

    private Path store() {
        return folder.resolve("locks.db");
    }

    private String tokens(int client) {
        return folder.resolve("tokens-" + client).toString();
    }

    private LockBackend open() {
        return SqliteLockBackend.open(store(), SqliteOptions.defaults());
    }

    private static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), Duration.ofSeconds(30), Holder.of("test"));
    }

    private void awaitTokens(int client, int atLeast) {
        File tokens = new File(tokens(client));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (tokens.length() < (long) atLeast * Long.BYTES) {
            assertThat(System.nanoTime() - deadline)
                    .as("process " + client + " starves")
                    .isNegative();
            pass(Duration.ofMillis(10));
        }
    }

    /** Asks again and again, as the engine would. */
    private static Granted acquirePatiently(LockBackend backend) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            if (backend.acquire(request()) instanceof Granted granted) {
                return granted;
            }
            pass(Duration.ofMillis(10));
        }
        throw new AssertionError("not granted within " + PATIENCE);
    }

    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        try {
            for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
                Delays.system().park(left);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Long> grantedTokens(int client) throws IOException {
        List<Long> tokens = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(tokens(client))))) {
            while (true) {
                tokens.add(in.readLong());
            }
        } catch (EOFException end) {
            return tokens;
        }
    }
}
