package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Backends;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A lone thread with a long way to the server wants a lock that busy processes beside the server pass on among their threads. */
@Timeout(180)
class PostgresFarProcessTest {

    private static final Duration EACH_WAY = Duration.ofMillis(20);
    private static final int NEAR_GRANTS = 600;

    /** The most grants of a turn, for the numbers of threads here. */
    private static final int GRANTS_OF_A_TURN = 32;

    /** Then it listens, so that the others know that it waits. */
    private static final int FIRST_FAR_GRANTS = 3;

    private final String schema = TestServer.borrowSchema();
    private final AtomicInteger near = new AtomicInteger();
    private final AtomicInteger far = new AtomicInteger();
    private final AtomicInteger firstFar = new AtomicInteger();
    private final List<LockBackend> backends = new ArrayList<>();

    @AfterEach
    void close() {
        backends.forEach(LockBackend::close);
        TestServer.giveBack(schema);
    }

    @ParameterizedTest
    @Tag("L7")
    @CsvSource({"1, 8", "2, 4"})
    void getsAFairPart(int processes, int threads) throws Exception {
        try (FaultProxy network = FaultProxy.to("127.0.0.1", TestServer.shared().port())) {
            List<FutureTask<Void>> all = new ArrayList<>();
            LockBackend distant = open(network.port());
            network.toServer().delay(EACH_WAY);
            network.toClient().delay(EACH_WAY);
            for (int i = 0; i < processes; i++) {
                LockBackend backend = open(TestServer.shared().port());
                Locks locks = Locks.over(backend);
                for (int thread = 0; thread < threads; thread++) {
                    all.add(start(locks, this::nearGranted));
                }
            }
            Locks fromAfar = Locks.over(distant);
            all.add(start(fromAfar, () -> (firstFar.get() < FIRST_FAR_GRANTS ? firstFar : far).incrementAndGet()));
            for (FutureTask<Void> task : all) {
                task.get(150, TimeUnit.SECONDS);
            }
            network.heal();
            backends.forEach(LockBackend::close);
        }
        int turns = NEAR_GRANTS / GRANTS_OF_A_TURN / processes;
        assertThat(far.get())
                .as("grants, of " + turns + " turns of each other process")
                .isGreaterThan(turns / 2);
    }

    private LockBackend open(int port) {
        LockBackend backend = Backends.open(
                "postgresql://postgres@127.0.0.1:" + port + "/postgres?table=" + schema + ".fenceline_lock");
        backends.add(backend);
        return backend;
    }

    private FutureTask<Void> start(Locks locks, Runnable granted) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            LockOptions patient = LockOptions.defaults().withMaxWait(Duration.ofMinutes(2));
            while (near.get() < NEAR_GRANTS) {
                try (Lease lease = locks.acquire("hot", patient)) {
                    lease.ensureHeld();
                    if (near.get() < NEAR_GRANTS) {
                        granted.run();
                    }
                }
            }
            return null;
        });
        new Thread(task).start();
        return task;
    }

    private void nearGranted() {
        if (firstFar.get() == FIRST_FAR_GRANTS) {
            near.incrementAndGet();
        }
    }
}
