package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Contract of stores whose server is killed in the middle of contended acquires, again and again. Extended by tests with an
 * {@link OutageFixture} whose store goes by real time.
 *
 * <p>{@code -Dfenceline.crashes=} says how often, 3 times if it is not said; {@code -Dfenceline.seed=} repeats the moments of a
 * run as far as servers can be repeated.
 */
@Timeout(3600)
public abstract class ServerCrashContract extends AbilityContract {

    private static final int CRASHES = Integer.getInteger("fenceline.crashes", 3);
    private static final int HANDLES = 2;
    private static final int THREADS_OF_EACH = 3;
    private static final int GRANTS_BETWEEN_CRASHES = 20;
    private static final int LIMIT_SECONDS = 120;
    private static final int MOMENTS_MICROS = 20_000;

    private final long seed = Long.getLong("fenceline.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final GrantHistory history = new GrantHistory();

    /** Creates the contract; called by test engines. */
    protected ServerCrashContract() {}

    @Override
    protected abstract OutageFixture newFixture();

    @Test
    @Tag("G2")
    void neitherRepeatsNorLowersATokenAndIsSeenAsAnOutageOnly() throws InterruptedException {
        OutageFixture server = (OutageFixture) fixture();
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> clients = startClients(ended);
        try {
            for (int crash = 0; crash < CRASHES && history.problems().isEmpty(); crash++) {
                history.awaitMore(GRANTS_BETWEEN_CRASHES, LIMIT_SECONDS);
                parkAWhile();
                server.killStore();
                parkAWhile();
                server.startStore();
            }
            history.awaitMore(GRANTS_BETWEEN_CRASHES, LIMIT_SECONDS);
        } finally {
            ended.set(true);
            for (Thread client : clients) {
                client.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            }
        }

        acquireOnceMore();
        assertThat(history.problems()).as("seed " + seed).isEmpty();
    }

    private List<Thread> startClients(AtomicBoolean ended) {
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < HANDLES; i++) {
            LockBackend handle = fixture().open();
            for (int j = 0; j < THREADS_OF_EACH; j++) {
                Thread client =
                        new Thread(new CrashClient(handle, KEY, shortTtl(), history, ended), "client " + i + "." + j);
                client.setDaemon(true);
                client.start();
                clients.add(client);
            }
        }
        return clients;
    }

    /** The lease of a client whose release failed may still run. */
    private void acquireOnceMore() {
        AcquireRequest request = request(KEY, LockId.random(), LONG_TTL);
        long greatest = history.greatest();
        for (int i = 0; i < 100; i++) {
            Acquisition answer = retrying(() -> backend.acquire(request));
            if (answer instanceof Granted granted) {
                history.add(granted.grant(), greatest);
                return;
            }
            fixture().passTime(Duration.ofMillis(50));
        }
        throw new AssertionError("the lock does not become free");
    }

    private void parkAWhile() throws InterruptedException {
        Delays.system().park(TimeUnit.MICROSECONDS.toNanos(random.nextInt(MOMENTS_MICROS)));
    }
}
