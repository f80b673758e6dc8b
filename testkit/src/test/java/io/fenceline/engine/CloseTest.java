package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.ReleaseOutcome;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** L5: what is under way when the locks are closed leaves nothing in the store, where it would keep the lock for nobody. */
@Timeout(60)
class CloseTest {

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private volatile boolean waits = true;
    private final List<String> events = new CopyOnWriteArrayList<>();

    /** Grants and releases at once, and answers the first request when it is told to. */
    private final LockBackend slow = new ForwardingLockBackend(new MemoryLockBackend()) {
        @Override
        public Acquisition acquire(AcquireRequest request) {
            Acquisition acquisition = super.acquire(request);
            awaitAnswer();
            return acquisition;
        }

        @Override
        public boolean release(LockKey key, LockId lockId) {
            boolean released = super.release(key, lockId);
            awaitAnswer();
            events.add("released");
            return released;
        }

        private void awaitAnswer() {
            if (waits) {
                waits = false;
                asked.countDown();
                try {
                    assertThat(answer.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    };

    @ParameterizedTest
    @Tag("L5")
    @ValueSource(booleans = {true, false})
    void waitsUntilAnAttemptUnderWayIsUndoneAlsoOnAnInterruptedThread(boolean interrupted) throws Exception {
        Locks locks = Locks.over(slow);
        Background<Lease> acquiring = Background.start(() -> locks.acquire(NAME));
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        Background<Boolean> closing = Background.start(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            locks.close();
            events.add("closed");
            return Thread.interrupted();
        });
        await().until(locks::isClosed);
        answer.countDown();

        assertThat(closing.result()).isEqualTo(interrupted);
        assertThat(events).containsExactly("released", "closed");
        assertThat(acquiring.failure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("these locks are closed");
        assertThat(slow.isLocked(KEY)).isFalse();
    }

    @ParameterizedTest
    @Tag("L5")
    @ValueSource(booleans = {true, false})
    void waitsForTheAnswerToAReleaseUnderWay(boolean async) throws Exception {
        Locks locks = Locks.over(slow);
        waits = false;
        Lease lease = async ? locks.acquireAsync(NAME).get(30, TimeUnit.SECONDS) : locks.acquire(NAME);
        waits = true;
        Background<ReleaseOutcome> releasing = Background.start(lease::release);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        Background<?> answering = Background.start(() -> {
            await().until(locks::isClosed);
            answer.countDown();
            return null;
        });

        locks.close();
        events.add("closed");

        answering.result();
        assertThat(releasing.result()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(events).containsExactly("released", "closed");
    }

    @Test
    @Tag("L5")
    void endsThePausesOfThoseWhoWait() throws Exception {
        Bench bench = Bench.polling();
        bench.takenByStranger(TTL);
        Locks locks = bench.builder().build();
        Background<Lease> waiting = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);

        locks.close();

        assertThat(waiting.failure()).isInstanceOf(IllegalStateException.class).hasMessage("these locks are closed");
    }

    @Test
    void isWhatAnAttemptIsToldWhoseBackendIsClosed() {
        AtomicReference<Locks> closing = new AtomicReference<>();
        LockBackend closed = new ForwardingLockBackend(new MemoryLockBackend()) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                closing.get().close();
                throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "the backend is closed", null);
            }
        };
        closing.set(Locks.over(closed));

        assertThatIllegalStateException()
                .isThrownBy(() -> closing.get().acquire(NAME))
                .withMessage("these locks are closed");
        assertThatIllegalStateException().isThrownBy(() -> closing.get().tryAcquire(NAME));
    }
}
