package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the engine does when the machine gives it no thread. */
class ThreadShortageTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final AtomicBoolean threadsAreShort = new AtomicBoolean(true);
    private final Executor scarce = task -> {
        if (threadsAreShort.get()) {
            throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
        }
        task.run();
    };

    @Test
    @Tag("L2")
    void aLossIsTold() {
        try (EngineOnManualTime bench = over(scarce, Runnable::run)) {
            CompletableFuture<LeaseLostException> lost =
                    bench.acquire("a", TTL).lost().toCompletableFuture();

            bench.pass(TTL);

            assertThat(lost).isCompleted();
        }
    }

    @Test
    @Tag("L5")
    void anUndoIsRepeatedLater() {
        try (EngineOnManualTime bench = over(Runnable::run, scarce)) {
            AtomicInteger releases = new AtomicInteger();
            bench.beforeRelease = key -> {
                if (releases.incrementAndGet() == 1) {
                    throw noReply();
                }
            };
            LockOptions options = LockOptions.defaults().withTtl(TTL);
            bench.afterAcquisition = () -> Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> bench.engine.acquire(LockKey.of("a"), options));

            bench.pass(Duration.ofSeconds(1));
            assertThat(releases).hasValue(1);
            threadsAreShort.set(false);
            bench.pass(Duration.ofSeconds(1));

            assertThat(bench.isFree("a")).isTrue();
        }
    }

    /** A pool that starts a thread for its next connection throws that. */
    @Test
    @Tag("L4")
    void aLeaseIsClosedWithoutAnError() {
        try (EngineOnManualTime bench = over(Runnable::run, Runnable::run)) {
            HeldLease lease = bench.acquire("a", TTL);
            bench.beforeRelease = key -> {
                throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
            };
            lease.close();
            assertThat(bench.isFree("a")).isFalse();

            bench.beforeRelease = key -> {};
            lease.close(); // can be asked for again
            assertThat(bench.isFree("a")).isTrue();
        }
    }

    private static EngineOnManualTime over(Executor callbacks, Executor undos) {
        return new EngineOnManualTime(new EngineThreads(
                false, new RenewalThreads(Thread::new, RenewalThreads.SLOW), callbacks, undos, Runnable::run));
    }

    private static BackendException noReply() {
        return new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "no reply (thrown by the test)", null);
    }
}
