package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.ForwardingLockBackend;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LastReleaseTest {

    private static final Duration MIN_HOLD = Duration.ofHours(1);

    private final LastRelease release = new LastRelease();
    private final MemoryLockBackend store = new MemoryLockBackend();
    private final AtomicInteger attempts = new AtomicInteger();

    /** Answers the release that is to be repeated, before the store sees it. */
    private interface Repetition {
        void answer();
    }

    private void run(Repetition repetition) throws InterruptedException {
        ForwardingLockBackend away = new ForwardingLockBackend(store) {
            @Override
            public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
                if (attempts.incrementAndGet() == 1) {
                    throw failure(ErrorCode.NETWORK_TIMEOUT);
                }
                repetition.answer();
                return super.releaseAfter(key, lockId, rest);
            }
        };
        try (Locks locks =
                Locks.builder(away).listener(release).onReleaseError(release).build()) {
            locks.run("k", LockOptions.defaults().withMinHold(MIN_HOLD), lease -> {});
            assertThat(release.outage()).isPresent();
            release.awaitRepetition(Duration.ofMinutes(1));
        }
    }

    private static BackendException failure(ErrorCode code) {
        return new BackendException(code, Effect.UNKNOWN, "away", null);
    }

    @Test
    void isWaitedForWhileTheEngineRepeatsIt() throws InterruptedException {
        Thread command = Thread.currentThread();
        run(() -> {
            while (command.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        });

        assertThat(release.failure()).isEmpty();
        assertThat(store.lookup(LockKey.of("k")).map(LockRecord::remaining).orElseThrow())
                .isGreaterThan(MIN_HOLD.dividedBy(2));
    }

    @Test
    void isNotWaitedForOnceItFailedForGood() throws InterruptedException {
        run(() -> {
            throw failure(ErrorCode.AUTH_FAILED);
        });

        assertThat(release.failure()).get().extracting("code").isEqualTo(ErrorCode.AUTH_FAILED);
        assertThat(attempts).hasValue(2);
    }

    @Test
    @Timeout(30)
    void isNotWaitedForByACommandThatWasToldToEnd() throws InterruptedException {
        release.stopWaiting();
        run(() -> {
            throw failure(ErrorCode.NETWORK_TIMEOUT);
        });

        assertThat(release.failure()).isPresent();
    }

    @Test
    void stillHasFailedIfTheLeaseEndedMeanwhile() throws InterruptedException {
        run(() -> store.forceRelease(LockKey.of("k"), Holder.of("an operator")));

        assertThat(release.failure()).isPresent();
    }
}
