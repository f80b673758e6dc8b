package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Locked methods that return a stage, beside guarded transactions. */
class LockedStageTest extends LockedTransactions {

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    @BeforeEach
    void start() {
        context.register(AutoProxies.class, Asynchronous.class, Work.class);
        context.registerBean(LockTemplate.class, () -> template);
        context.registerBean(
                LockedAdvisor.class, () -> new LockedAdvisor(LockedAdvisor.ORDER, context.getBeanFactory()));
        context.refresh();
    }

    @AfterEach
    void stop() {
        context.close();
    }

    /** So a transaction of an older holder cannot commit between what the method reads and what it writes. */
    @Test
    void claimsItsResourcesBeforeItsWork() {
        Optional<FenceStamp> claimed = context.getBean(Work.class)
                .start(() -> CompletableFuture.completedFuture(guard.highest("job")))
                .join();

        assertThat(claimed).isPresent();
    }

    @Test
    void doesNotBeginWhereANewerHolderHas() {
        guard.claim("job", new FenceStamp(LockKey.of("job"), FencingToken.of(1_000_000)));

        assertThatThrownBy(() -> context.getBean(Work.class).start(() -> {
                    throw new AssertionError("the method was called");
                }))
                .isInstanceOf(StaleTokenException.class);
        assertThat(locks.lookup("job")).isEmpty();
    }

    /** Spring puts {@code @Async} in front of other advice, so the caller does not wait for the lock. */
    @Test
    void isLockedAndGuardedOnTheThreadOfAnAsynchronousCall() throws Exception {
        CompletableFuture<String> result;
        try (Lease taken = locks.acquire("job")) {
            result = context.getBean(Work.class).later(() -> {
                insert(CurrentLease.required().key().value());
                return Thread.currentThread().getName();
            });
            assertThat(result).isNotDone();
            assertThat(taken.isHeld()).isTrue();
        }

        assertThat(result.get(60, TimeUnit.SECONDS))
                .isNotEqualTo(Thread.currentThread().getName());
        assertThat(texts()).containsExactly("job");
        assertThat(guard.highest("job")).isPresent();
    }

    static class Work {
        @Async
        @Locked(key = "job", maxWait = "1m")
        public CompletableFuture<String> later(Supplier<String> work) {
            return CompletableFuture.completedFuture(work.get());
        }

        @Locked("job")
        public <T> CompletableFuture<T> start(Supplier<CompletableFuture<T>> work) {
            return work.get();
        }
    }

    @EnableAsync(proxyTargetClass = true)
    static class Asynchronous {}
}
