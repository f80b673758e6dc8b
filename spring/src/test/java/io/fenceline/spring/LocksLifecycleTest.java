package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LossReason;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

class LocksLifecycleTest {

    private static final AtomicLong NOW = new AtomicLong();

    static MemoryStore store;
    static Duration work;
    static Duration grace;

    private final AnnotationConfigApplicationContext context;

    LocksLifecycleTest() {
        store = MemoryStore.create();
        work = Duration.ZERO;
        grace = Duration.ofSeconds(60);
        context = new AnnotationConfigApplicationContext(Application.class);
    }

    /** The job ends only because its lease is lost, and its release finds the store still open. */
    @Test
    void waitsForAJobThatEndsWhenItsLeaseIsLost() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread closer = Thread.currentThread();
        AtomicBoolean closed = new AtomicBoolean();
        Thread job = new Thread(() -> {
            try {
                context.getBean(Locks.class).run("job", LockOptions.defaults().withInterruptOnLoss(), lease -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        await().until(() -> closed.get() || isWaiting(closer));
                        assertThat(closed).isFalse();
                    }
                });
            } catch (Exception | Error e) {
                end.complete(e);
            }
        });
        job.start();
        begun.await();

        context.close();
        closed.set(true);

        assertThat(end.get(60, TimeUnit.SECONDS)).isInstanceOf(LeaseLostException.class);
        try (Locks next = Locks.over(new MemoryLockBackend(store))) {
            assertThat(next.tryAcquire("job")).isPresent();
        }
    }

    /** As in an executor that Spring waits for when it destroys its beans, after this. */
    @Test
    void letsAJobEndItsWorkBeforeItsLeaseIsLost() throws Exception {
        work = Duration.ofSeconds(60);
        AnnotationConfigApplicationContext patient = new AnnotationConfigApplicationContext(Application.class);
        Lease lease = patient.getBean(Locks.class).acquire("job");
        Thread closer = new Thread(patient::close);
        closer.start();
        await().until(() -> isWaiting(closer));

        assertThat(lease.isHeld()).isTrue();
        lease.close();

        closer.join();
        assertThat(patient.isActive()).isFalse();
    }

    /** With listeners that are called by other threads the event of the end may come late, and behind one that throws never. */
    @Test
    void closesTheLocksThoughAListenerKeepsTheEventBack() throws Exception {
        grace = Duration.ZERO;
        AnnotationConfigApplicationContext other = new AnnotationConfigApplicationContext();
        other.addApplicationListener((ApplicationListener<ContextClosedEvent>) event -> {
            throw new IllegalStateException("thrown by the test");
        });
        other.register(Application.class);
        other.refresh();
        Lease lease = other.getBean(Locks.class).acquire("job");

        other.close();

        assertThat(lease.isHeld()).isFalse();
    }

    static boolean isWaiting(Thread closer) {
        return Arrays.stream(closer.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("awaitNanos"));
    }

    @Test
    void endsTheWaitForAHolderThatDoesNotRelease() throws Exception {
        grace = Duration.ofMillis(10);
        AnnotationConfigApplicationContext hasty = new AnnotationConfigApplicationContext(Application.class);
        Lease lease = hasty.getBean(Locks.class).acquire("job");

        hasty.close();

        assertThat(lease.isHeld()).isFalse();
    }

    /** A registry of Spring Integration gives up a lost lease without a release, for instance. */
    @Test
    @Timeout(60)
    void doesNotWaitForALeaseThatWasLostBefore() {
        work = Duration.ofHours(1);
        grace = Duration.ofHours(1);
        AnnotationConfigApplicationContext patient = new AnnotationConfigApplicationContext(Application.class);
        LocksLifecycle lifecycle = patient.getBean(LocksLifecycle.class);
        FenceStamp stamp = new FenceStamp(LockKey.of("job"), FencingToken.of(1));

        lifecycle.on(new LockEvent.Acquired(stamp, Holder.of("node"), Duration.ZERO, 1));
        lifecycle.on(new LockEvent.Lost(stamp, LossReason.DEADLINE_PASSED));

        patient.close();
    }

    /** The engine repeats such a release, until the locks are closed. */
    @Test
    @Timeout(60)
    void doesNotWaitForALeaseWhoseReleaseFailed() {
        work = Duration.ofHours(1);
        grace = Duration.ofHours(1);
        AnnotationConfigApplicationContext patient = new AnnotationConfigApplicationContext(Application.class);
        LocksLifecycle lifecycle = patient.getBean(LocksLifecycle.class);
        FenceStamp stamp = new FenceStamp(LockKey.of("job"), FencingToken.of(1));

        lifecycle.on(new LockEvent.Acquired(stamp, Holder.of("node"), Duration.ZERO, 1));
        lifecycle.on(new LockEvent.ReleaseFailed(stamp, new IllegalStateException("the store is gone")));

        patient.close();
    }

    @Test
    void keepsTheLocksWhenOnlyAChildIsClosed() throws Exception {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(context);
        child.refresh();

        child.close();
        context.stop();
        context.start();

        context.getBean(Locks.class).acquire("job").close();
        context.close();
    }

    /** Else tasks would get no time when the application ends later. */
    @Test
    void countsTheTimeOfTasksFromTheEndOfItsOwnContextOnly() throws Exception {
        work = Duration.ofSeconds(60);
        AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Application.class);
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent);
        child.refresh();
        child.close();
        NOW.addAndGet(2 * work.toNanos());
        Lease lease = parent.getBean(Locks.class).acquire("job");
        Thread closer = new Thread(parent::close);
        closer.start();
        await().until(() -> isWaiting(closer));

        assertThat(lease.isHeld()).isTrue();
        lease.close();

        closer.join();
    }

    @Test
    void keepsTheLocksOfAContextThatIsOnlyStopped() throws Exception {
        context.stop();
        context.start();

        context.getBean(Locks.class).acquire("job").close();
        context.close();
        assertThat(context.isActive()).isFalse();
    }

    @Test
    void publishesEventsOfLocks() throws Exception {
        FencingToken token;
        try (Lease lease = context.getBean(Locks.class).acquire("job")) {
            token = lease.token();
        }

        assertThat(context.getBean(Events.class).acquired)
                .singleElement()
                .satisfies(event -> assertThat(event.stamp().token()).isEqualTo(token));
        context.close();
    }

    static class Events {

        private final List<LockEvent.Acquired> acquired = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LockEvent.Acquired event) {
            acquired.add(event);
        }
    }

    @Configuration
    static class Application {

        @Bean
        MemoryLockBackend backend() {
            return new MemoryLockBackend(store);
        }

        @Bean
        Locks locks(MemoryLockBackend backend, LocksLifecycle lifecycle, ApplicationEventPublisher publisher) {
            return Locks.builder(backend)
                    .listener(lifecycle)
                    .listener(new LockEventPublisher(publisher))
                    .build();
        }

        @Bean
        LocksLifecycle locksLifecycle(ObjectProvider<Locks> locks) {
            return new LocksLifecycle(locks, work, grace, NOW::get); // what was used at all was used lately
        }

        @Bean
        Events events() {
            return new Events();
        }
    }
}
