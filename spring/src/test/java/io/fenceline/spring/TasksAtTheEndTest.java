package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** What {@link LocksLifecycle} does with tasks of thread pools, and with other holders, when the application ends. */
class TasksAtTheEndTest {

    @BeforeEach
    void useAnotherStore() {
        LocksLifecycleTest.store = MemoryStore.create();
        LocksLifecycleTest.grace = Duration.ofSeconds(60);
    }

    /** Between two locks of a task nothing is held. */
    @Test
    void closesTheLocksAfterTheTasksOfAnExecutorThatEndsThem() throws Exception {
        LocksLifecycleTest.work = Duration.ofSeconds(60);
        AnnotationConfigApplicationContext patient =
                new AnnotationConfigApplicationContext(LocksLifecycleTest.Application.class, Tasks.class);
        Locks locks = patient.getBean(Locks.class);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Boolean> acquired = new CompletableFuture<>();
        ThreadPoolTaskExecutor tasks = patient.getBean(ThreadPoolTaskExecutor.class);
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> running = tasks.submit(() -> {
            release(locks.tryAcquire("job"));
            begun.countDown();
            goOn.await();
            return true;
        });
        tasks.execute(() -> acquired.complete(release(locks.tryAcquire("job")))); // waits in the queue
        begun.await();
        Thread closer = new Thread(patient::close);
        closer.start();
        await().until(() -> LocksLifecycleTest.isWaiting(closer));

        goOn.countDown();

        assertThat(acquired.get(60, TimeUnit.SECONDS)).isTrue();
        closer.join();
        assertThat(running).isDone();
    }

    @Test
    void closesTheLocksAfterTheTasksOfASchedulerThatEndsThem() throws Exception {
        LocksLifecycleTest.work = Duration.ofSeconds(60);
        AnnotationConfigApplicationContext patient =
                new AnnotationConfigApplicationContext(LocksLifecycleTest.Application.class, Tasks.class);
        Locks locks = patient.getBean(Locks.class);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<Boolean> acquired = patient.getBean(ThreadPoolTaskScheduler.class)
                .submit(() -> {
                    release(locks.tryAcquire("job"));
                    begun.countDown();
                    goOn.await();
                    return release(locks.tryAcquire("job"));
                });
        begun.await();
        Thread closer = new Thread(patient::close);
        closer.start();
        await().until(() -> LocksLifecycleTest.isWaiting(closer));

        goOn.countDown();

        assertThat(acquired.get(60, TimeUnit.SECONDS)).isTrue();
        closer.join();
    }

    @Test
    @Timeout(60)
    void givesHoldersOutsideOfThreadPoolsTheGraceOnly() {
        LocksLifecycleTest.work = Duration.ofHours(1);
        LocksLifecycleTest.grace = Duration.ofMillis(10);
        AnnotationConfigApplicationContext hasty =
                new AnnotationConfigApplicationContext(LocksLifecycleTest.Application.class);
        Lease lease = hasty.getBean(Locks.class).tryAcquire("job").orElseThrow();

        hasty.close();

        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    @Timeout(60)
    void doesNotWaitForTasksThatUseNoLocks() {
        LocksLifecycleTest.work = Duration.ofHours(1);
        AnnotationConfigApplicationContext hasty =
                new AnnotationConfigApplicationContext(LocksLifecycleTest.Application.class, Tasks.class);
        CountDownLatch end = new CountDownLatch(1);
        Future<?> polling = hasty.getBean(ThreadPoolTaskExecutor.class).submit(() -> {
            end.await();
            return true;
        });

        hasty.close();

        assertThat(polling).isNotDone();
        end.countDown();
    }

    private static boolean release(Optional<Lease> lease) {
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }

    @Configuration
    static class Tasks {

        @Bean
        ThreadPoolTaskExecutor tasks() {
            ThreadPoolTaskExecutor tasks = new ThreadPoolTaskExecutor();
            tasks.setCorePoolSize(1);
            tasks.setWaitForTasksToCompleteOnShutdown(true);
            return tasks;
        }

        @Bean
        ThreadPoolTaskScheduler scheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setWaitForTasksToCompleteOnShutdown(true);
            return scheduler;
        }
    }
}
