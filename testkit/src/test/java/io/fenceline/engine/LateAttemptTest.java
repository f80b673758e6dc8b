package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.ForwardingLockBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * L5: attempts without a reply, which the store executes after their release, as a database may that has a connection for each.
 */
@Tag("L5")
@Timeout(60)
class LateAttemptTest {

    private static final int LOOKS_IN_TWO_SECONDS = 6;

    private final Bench bench = Bench.polling();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger releases = new AtomicInteger();

    /** The number of the first attempt that is refused; those before get no reply. */
    private volatile int firstRefused = Integer.MAX_VALUE;

    /** The numbers of the releases before which, and after which, the store executes an attempt. */
    private volatile Set<Integer> lateBefore = Set.of();

    private volatile Set<Integer> lateAfter = Set.of();
    private volatile AcquireRequest late;

    private final Locks locks = Locks.builder(new ForwardingLockBackend(bench.stranger) {
                @Override
                public Acquisition acquire(AcquireRequest request) {
                    late = request;
                    if (attempts.incrementAndGet() >= firstRefused) {
                        return new Contended(Duration.ofSeconds(1), Optional.empty(), false);
                    }
                    throw new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "no reply", null);
                }

                @Override
                public boolean release(LockKey key, LockId lockId) {
                    int number = releases.incrementAndGet();
                    execute(lateBefore, number);
                    boolean found = super.release(key, lockId);
                    execute(lateAfter, number);
                    return found;
                }

                private void execute(Set<Integer> at, int number) {
                    if (at.contains(number)) {
                        super.acquire(late);
                    }
                }

                @Override
                public <T> Optional<T> ability(Class<T> type) {
                    return Optional.empty();
                }
            })
            .time(bench.time.source())
            .random(() -> 0.5)
            .build();

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void areLookedForAgain() {
        lateAfter = Set.of(2);
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> locks.tryAcquire(NAME, OPTIONS));

        passUntil(() -> releases.get() > 2);

        assertThat(bench.isFree()).isTrue();
    }

    @Test
    void areLookedForForTwoSeconds() {
        long began = bench.time.nanos();
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> locks.tryAcquire(NAME, OPTIONS));

        passUntil(() -> releases.get() > 1 && nobodyRepeats());

        assertThat(releases).hasValue(LOOKS_IN_TWO_SECONDS);
        assertThat(Duration.ofNanos(bench.time.nanos() - began)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void areNotLookedForOnceTheOnlyOneWasReleased() {
        lateBefore = Set.of(1);

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> locks.tryAcquire(NAME, OPTIONS));

        passUntil(LateAttemptTest::nobodyRepeats);
        assertThat(releases).hasValue(1);
    }

    /** As where two wait for a table that is locked, and the release is executed between them. */
    @Test
    void areLookedForAgainAfterTheReleaseOfOneOfSeveral() throws Exception {
        lateBefore = Set.of(1);
        lateAfter = Set.of(1);
        Background<?> caller = Background.start(() -> locks.acquire(NAME, OPTIONS));

        passUntil(() -> releases.get() > 1 && nobodyRepeats());

        assertThat(caller.failure()).isInstanceOf(BackendException.class);
        assertThat(attempts).hasValueGreaterThan(1);
        assertThat(bench.isFree()).isTrue();
        assertThat(releases).hasValue(LOOKS_IN_TWO_SECONDS);
    }

    /** As where the one that was refused went by another connection. */
    @Test
    void areLookedForAgainThoughALaterOneWasRefused() throws Exception {
        firstRefused = 2;
        lateAfter = Set.of(1);
        Background<?> caller = Background.start(() -> locks.acquire(NAME, OPTIONS));

        passUntil(() -> releases.get() > 1);

        assertThat(caller.failure()).isInstanceOf(LockTimeoutException.class);
        assertThat(bench.isFree()).isTrue();
    }

    /** Lets time pass from one wake to the next. */
    private void passUntil(BooleanSupplier condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    boolean reached = condition.getAsBoolean();
                    if (!reached) {
                        bench.time
                                .untilNextWake()
                                .filter(wake ->
                                        wake.compareTo(OPTIONS.maxWait()) <= 0) // a thread without work waits for ever
                                .ifPresent(bench.time::advance);
                    }
                    return reached;
                });
    }

    private static boolean nobodyRepeats() {
        return Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("fenceline-undo-retries"));
    }
}
