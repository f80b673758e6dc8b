package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.ReleaseOutcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Releases during which the thread is interrupted, where that breaks the call off: the socket of a virtual thread is closed by it. */
class InterruptedReleaseTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final EngineOnManualTime bench =
            new EngineOnManualTime(EngineOnManualTime.threads(new RenewalThreads(Thread::new, RenewalThreads.SLOW)));
    private final AtomicInteger tries = new AtomicInteger();

    @AfterEach
    void close() {
        boolean ignored = Thread.interrupted();
        bench.close();
    }

    @Test
    @Tag("L4")
    void isRepeatedAndTheThreadStaysInterrupted() {
        HeldLease lease = bench.acquire("a", TTL);
        bench.beforeRelease = key -> breakOff(ErrorCode.SERVICE_UNAVAILABLE, 1);

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

        assertThat(tries).hasValue(2);
        assertThat(bench.isFree("a")).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @Tag("L4")
    void isToldAsDoneThoughTheFirstTryHadDoneIt() {
        HeldLease lease = bench.acquire("a", TTL);
        bench.beforeRelease = key -> {
            if (tries.get() == 0) {
                bench.release(lease);
            }
            breakOff(ErrorCode.SERVICE_UNAVAILABLE, 1);
        };

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(tries).hasValue(2);
    }

    @Test
    @Tag("L4")
    void isNotRepeatedWithoutEndNorOnASilentStore() {
        HeldLease lease = bench.acquire("a", TTL);
        bench.beforeRelease = key -> breakOff(ErrorCode.SERVICE_UNAVAILABLE, Integer.MAX_VALUE);
        assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);
        assertThat(tries).hasValue(3);

        bench.beforeRelease = key -> breakOff(ErrorCode.NETWORK_TIMEOUT, Integer.MAX_VALUE);
        assertThatExceptionOfType(BackendException.class).isThrownBy(lease::release);
        assertThat(tries).hasValue(4);
    }

    private void breakOff(ErrorCode code, int times) {
        if (tries.incrementAndGet() <= times) {
            Thread.currentThread().interrupt();
            throw new BackendException(code, Effect.UNKNOWN, "closed by interrupt (thrown by the test)", null);
        }
    }
}
