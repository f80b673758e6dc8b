package io.fenceline.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListeners;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Events that nobody hears cost no memory. The bound is what an acquire and its release allocated before there were elections,
 * guards' events and events of bodies: 922 bytes, counted with no optimization by the JIT, whose escape analysis only makes it
 * less (commit {@code a285b3c} and then, both measured with {@code -Xint} and with {@code -XX:-DoEscapeAnalysis}); and 64 bytes
 * for what attempts may have left in the store, for what extends and releases a lease, and for turns among processes; and 112
 * bytes for the random bits of a lock id; and 32 bytes for a minimum hold and for the report of a renewal that hangs; and 8 bytes for cohorts.
 */
class UnheardEventsTest {

    private static final double BYTES_BEFORE_EVENTS = 922.5;
    private static final double BYTES_SINCE = 64 + 112 + 32 + 8;
    private static final int CYCLES = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @FunctionalInterface
    private interface Cycle {
        void run() throws Exception;
    }

    @Test
    void addNothingToAnAcquireAndItsRelease() throws Exception {
        // Bytes of objects differ where references have 8 bytes or headers another size.
        assumeTrue(System.getProperty("java.version").startsWith("17."), "the bound was measured on JDK 17");
        try (LockBackend backend = new MemoryLockBackend();
                Locks locks = Locks.over(backend)) {
            assertThat(bytesOf(() -> locks.acquire("invoice:42").close()))
                    .isLessThanOrEqualTo(BYTES_BEFORE_EVENTS + BYTES_SINCE);
        }
    }

    @Test
    void addNothingToAQuestionToAGuard() throws Exception {
        FenceStamp stamp = new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(7));

        assertThat(bytesOf(() -> {
                    try (GuardCheck check = GuardCheck.begin(LockListeners.NONE, GuardAct.WRITE, "invoice:42", stamp)) {
                        check.accepted();
                    }
                }))
                .isLessThan(1);
    }

    @Test
    void areMadeWhereSomebodyListens() throws Exception {
        FenceStamp stamp = new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(7));
        AtomicReference<LockEvent> last = new AtomicReference<>();
        LockListeners listeners = LockListeners.of(last::set);

        assertThat(bytesOf(() -> GuardCheck.begin(listeners, GuardAct.WRITE, "invoice:42", stamp)
                        .close()))
                .as("the measurement sees what is allocated")
                .isPositive();
    }

    private double bytesOf(Cycle cycle) throws Exception {
        repeat(cycle);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        repeat(cycle);
        return (double) (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / CYCLES;
    }

    private static void repeat(Cycle cycle) throws Exception {
        for (int i = 0; i < CYCLES; i++) {
            cycle.run();
        }
    }
}
