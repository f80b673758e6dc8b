package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.Succession;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Turns of processes that wait in a queue of the store. */
class CohortQueueTest {

    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend store = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final HandingOverBackend queue = new HandingOverBackend(store);
    private final AtomicInteger successions = new AtomicInteger();
    private final Locks ours = locks();
    private final Locks theirs = locks();

    /** A succession that hands the lock to the first in the queue, whether or not the process yields. */
    private final class Queueing extends ForwardingLockBackend {

        Queueing() {
            super(queue);
        }

        @Override
        public <T> Optional<T> ability(Class<T> type) {
            return type == Succession.class ? Optional.of(type.cast((Succession) this::succeed)) : super.ability(type);
        }

        private Succession.Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
            successions.incrementAndGet();
            if (queue.waiting() == 0) {
                return store.succeed(last, next, yielding);
            }
            queue.tell(queue.handOver(store.lookup(last).orElseThrow().raw()));
            return new Succession.Turnover(true, queue.acquire(next));
        }
    }

    private Locks locks() {
        return Locks.builder(new Queueing()).time(time.source()).withoutThread().build();
    }

    private Background<Lease> waiter(Locks locks, int parked) {
        Background<Lease> waiter = Background.start(() -> locks.acquire(NAME, PATIENT));
        time.awaitParked(parked);
        return waiter;
    }

    @Test
    void beginWhenTheLockIsHandedOver() throws Exception {
        Lease before = ours.acquire(NAME, PATIENT);
        Background<Lease> elsewhere = waiter(theirs, 1);
        Background<Lease> first = waiter(ours, 2);
        before.close();
        Lease foreign = elsewhere.result();
        time.awaitParked(1);
        time.advance(LocksBuilder.LONGEST_TURN);
        Grant block = queue.handOver(foreign.grant());
        queue.tell(block);
        Lease lease = first.result();
        Background<Lease> next = waiter(ours, 1);

        lease.close();

        assertThat(block.tokens()).isEqualTo(32);
        assertThat(next.result().token().value()).isEqualTo(lease.token().value() + 1);
        assertThat(successions).as("by which the other process got the lock").hasValue(1);
    }
}
