package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.election.Election;
import io.fenceline.election.LeaderObserver;
import io.fenceline.election.LeaderView;
import io.fenceline.election.LeaderWatch;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an observer is told when the store fails, and that nothing but {@code close} ends the watching. */
class LeaderWatchTest {

    private static final LockKey KEY = LockKey.of("election:billing");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend store = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final FaultScript faults = new FaultScript();
    private final Locks locks = Locks.builder(
                    new ForwardingLockBackend(FaultyLockBackend.over(store, faults, time.source())) {
                        @Override
                        public Optional<LockRecord> lookup(LockKey key) {
                            Throwable thrown = failure.getAndSet(null);
                            if (thrown instanceof RuntimeException e) {
                                throw e;
                            } else if (thrown instanceof Error e) {
                                throw e;
                            }
                            return super.lookup(key);
                        }
                    })
            .time(time.source())
            .build();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private volatile @Nullable LeaderWatch watch;

    @AfterEach
    void close() {
        if (watch != null) {
            watch.close();
        }
        locks.close();
    }

    @Test
    void tellsWhoLeadsAgainAfterAnOutageThoughItIsTheSame() throws InterruptedException {
        lead("first");
        observe(recording());
        assertThat(next()).isEqualTo("first");

        faults.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
        look();
        assertThat(next()).isEqualTo("unknown: SERVICE_UNAVAILABLE");
        look(); // an outage is told once
        faults.everything(Fault.none());
        look();

        assertThat(next()).isEqualTo("first");
        look();
        time.awaitParked(1);
        assertThat(told).isEmpty();
    }

    /** A routing data source throws the one, a driver that lacks a class the other. */
    @Test
    void outlivesAStoreThatFailsInWhateverWay() throws InterruptedException {
        observe(recording());
        assertThat(next()).isEqualTo("nobody");

        failure.set(new IllegalStateException("no data source for the key (thrown by the test)"));
        look();
        assertThat(next()).isEqualTo("unknown: INTERNAL");
        look();
        assertThat(next()).isEqualTo("nobody");
        failure.set(new NoClassDefFoundError("a fault of the driver (thrown by the test)"));
        look();
        assertThat(next()).isEqualTo("unknown: INTERNAL");
        lead("first");
        look();

        assertThat(next()).isEqualTo("first");
    }

    @Test
    void outlivesAnObserverThatFailsOrLeavesAnInterrupt() throws InterruptedException {
        observe(new LeaderObserver() {
            @Override
            public void onLeader(Optional<LeaderView> leader) {
                told.add(name(leader));
                if (leader.isEmpty()) {
                    Thread.currentThread().interrupt();
                } else {
                    throw new NoClassDefFoundError("a fault of the observer (thrown by the test)");
                }
            }
        });
        assertThat(next()).isEqualTo("nobody");

        LockId first = lead("first");
        look();
        assertThat(next()).isEqualTo("first");
        store.release(KEY, first);
        look();

        assertThat(next()).isEqualTo("nobody");
    }

    @Test
    void endsWhenItIsClosedByTheObserver() throws InterruptedException {
        AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
        observe(leader -> {
            thread.set(Thread.currentThread());
            told.add(name(leader));
            awaitWatch().close();
        });
        assertThat(next()).isEqualTo("nobody");

        Thread ended = thread.get();
        assertThat(ended).isNotNull();
        ended.join(TimeUnit.SECONDS.toMillis(10));
        assertThat(ended.isAlive()).isFalse();
    }

    private LeaderWatch awaitWatch() {
        LeaderWatch begun = watch;
        while (begun == null) {
            Thread.onSpinWait();
            begun = watch;
        }
        return begun;
    }

    private void observe(LeaderObserver observer) {
        watch = Election.observe(locks, "billing", observer);
    }

    private LeaderObserver recording() {
        return new LeaderObserver() {
            @Override
            public void onLeader(Optional<LeaderView> leader) {
                told.add(name(leader));
            }

            @Override
            public void onUnknown(BackendException failure) {
                told.add("unknown: " + failure.code());
            }
        };
    }

    private static String name(Optional<LeaderView> leader) {
        return leader.map(view -> view.leader().text()).orElse("nobody");
    }

    private LockId lead(String name) {
        LockId id = LockId.random();
        store.acquire(AcquireRequest.of(KEY, id, Duration.ofHours(1), Holder.of(name)));
        return id;
    }

    /** Lets the watch ask once more. */
    private void look() {
        time.awaitParked(1);
        time.advance(SECOND);
    }

    private String next() throws InterruptedException {
        String call = told.poll(10, TimeUnit.SECONDS);
        assertThat(call).as("a call within 10 s").isNotNull();
        return call;
    }
}
