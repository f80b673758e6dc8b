package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockId;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a guard promises to processes that are paused and stopped while they hold a lock, until the lock is taken over. Two
 * JVMs with the test's class path take a lock with a short ttl, claim, read, pause, and write a text that says what was read.
 * From their logs follows which writes were accepted when, and on what each was built.
 *
 * <p>The same without the guard must go wrong, or the run with it shows nothing; it ends with the first stale write.
 *
 * <p>{@code -Dfenceline.writes=} says how many writes must be accepted, 300 if it is not said; {@code -Dfenceline.seed=}
 * repeats the pauses of a run as far as processes can be repeated.
 */
@Timeout(3600)
@DisabledOnOs(OS.WINDOWS) // which cannot stop a process
public abstract class GuardStressContract {

    private static final System.Logger LOG = System.getLogger("io.fenceline.testkit");

    private static final int WRITES = Integer.getInteger("fenceline.writes", 300);
    private static final int LONG_RUN = 1_000;
    private static final int CLIENTS = 2;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private final long seed = Long.getLong("fenceline.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<ChildJvm> clients = new ArrayList<>();

    @TempDir
    Path folder;

    /** Creates the contract; called by test engines. */
    protected GuardStressContract() {}

    /**
     * Returns where the locks are. The store may be in use: keys are new for each test.
     *
     * @return a URI for {@link io.fenceline.Backends#open}, handed on in the environment
     */
    protected abstract String locks();

    /**
     * Returns what opens the guarded data, in each process and in the test's own.
     *
     * @return a class with a constructor without parameters
     */
    protected abstract Class<? extends StressedData> data();

    /**
     * Returns where the data is.
     *
     * @return an address that {@link #data()} understands, handed on in the environment; as it stands that of the locks
     */
    protected String address() {
        return locks();
    }

    /**
     * Returns the ttl of the locks, beyond which some pauses go.
     *
     * @return long enough for some writes, short enough to wait for hundreds of times
     */
    protected Duration ttl() {
        return Duration.ofMillis(100);
    }

    @Test
    @Tag("R1")
    @Tag("R3")
    @Tag("R4")
    void acceptsNoStaleWriteAndLosesNoAcceptedOne() {
        Run run = run(true);

        assertThat(run.history.staleWrites()).as("stale writes, seed " + seed).isEmpty();
        assertThat(run.lostWrites()).as("lost writes, seed " + seed).isEmpty();
        assertThat(run.history.accepted()).isGreaterThanOrEqualTo(WRITES);
        assertThat(run.history.refused()).as("refused writes, seed " + seed).isPositive();
    }

    @Test
    void findsStaleAndLostWritesWithoutTheGuard() {
        Run run = run(false);

        assertThat(run.history.staleWrites()).as("stale writes, seed " + seed).isNotEmpty();
        if (WRITES >= LONG_RUN) { // few stale writes fall between another's reading and writing
            assertThat(run.lostWrites()).as("lost writes, seed " + seed).isNotEmpty();
        }
    }

    private Run run(boolean guarded) {
        String name = "stressed-" + LockId.random();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(launch(name, i, guarded));
            }
            clients.forEach(ChildJvm::awaitReady);
            disturbUntilDone(guarded);
            for (ChildJvm client : clients) {
                assertThat(client.end()).as("exit code, seed " + seed).isZero();
            }
        } finally {
            clients.forEach(ChildJvm::close);
        }
        try (StressedData opening = StressClient.opening(data())) {
            GuardedData data = guarded ? opening.guarded(address()) : opening.unguarded(address());
            Run run =
                    new Run(guarded, WriteHistory.read(logs()), data.read(name).orElse(WriteHistory.START));
            LOG.log(Level.INFO, "{0}: {1}", getClass().getName(), run);
            return run;
        }
    }

    private ChildJvm launch(String name, int client, boolean guarded) {
        return ChildJvm.launch(
                StressClient.class,
                Map.of(StressClient.LOCKS_VARIABLE, locks(), StressClient.DATA_VARIABLE, address()),
                String.valueOf((char) ('A' + client)),
                name,
                name,
                Long.toString(ttl().toMillis()),
                Boolean.toString(guarded),
                logs().get(client).toString(),
                data().getName(),
                Long.toString(random.nextLong()));
    }

    /** Stops one or the other for a while, at moments of our choosing and not of its own. */
    private void disturbUntilDone(boolean guarded) {
        long before = 0;
        long sinceNanos = System.nanoTime();
        for (long accepted = 0; !isDone(guarded, accepted); accepted = accepted()) {
            if (accepted > before) {
                before = accepted;
                sinceNanos = System.nanoTime();
            } else if (System.nanoTime() - sinceNanos > PATIENCE_NANOS) {
                throw new AssertionError(
                        "no write was accepted for " + Duration.ofNanos(PATIENCE_NANOS) + ", seed " + seed);
            }
            ClientProcess.park(ttl().multipliedBy(1 + random.nextInt(3)));
            ChildJvm victim = clients.get(random.nextInt(CLIENTS));
            if (!victim.isAlive()) {
                throw new AssertionError("client " + victim.pid() + " has ended, seed " + seed);
            }
            victim.stop();
            try {
                ClientProcess.park(Duration.ofNanos(random.nextLong(2 * ttl().toNanos())));
            } finally {
                victim.resume();
            }
        }
    }

    /**
     * With the guard there have to be enough writes, without it a stale one, and in a long run enough writes for a lost one. Whether
     * something goes wrong, or would, is a matter of time.
     */
    private boolean isDone(boolean guarded, long accepted) {
        boolean isEnough = accepted >= WRITES || (!guarded && WRITES < LONG_RUN);
        return isEnough && (accepted >= 20L * WRITES || isEventful(guarded));
    }

    private boolean isEventful(boolean guarded) {
        WriteHistory history = WriteHistory.read(logs());
        return guarded ? history.refused() > 0 : !history.staleWrites().isEmpty();
    }

    private long accepted() {
        return logs().stream().mapToLong(StressLog::accepted).sum();
    }

    private List<Path> logs() {
        List<Path> logs = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            logs.add(folder.resolve("client-" + i));
        }
        return logs;
    }

    /** What came of a run. */
    private record Run(boolean guarded, WriteHistory history, String end) {

        List<String> lostWrites() {
            return history.lostWrites(end);
        }

        @Override
        public String toString() {
            return (guarded ? "with the guard: " : "without the guard: ") + history.accepted() + " writes accepted, "
                    + history.refused() + " refused, " + history.staleWrites().size() + " stale, "
                    + lostWrites().size() + " breaks in the chain, "
                    + history.claims().size() + " claims";
        }
    }
}
