package io.fenceline.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.spring.CurrentLease;
import io.fenceline.spring.Locked;
import io.fenceline.testkit.ManualTime;
import io.fenceline.time.WallClock;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** A test of an application as its author writes it. */
@SpringBootTest(classes = AutoConfigureFencelineTest.Application.class)
@AutoConfigureFenceline
class AutoConfigureFencelineTest {

    @Autowired
    private Locks locks;

    @Autowired
    private LockBackend backend;

    @Autowired
    private ManualTime time;

    @Autowired
    private Job job;

    @Test
    void locksAreInMemoryAndAnnotationsWork() {
        assertThat(backend).isInstanceOf(MemoryLockBackend.class);
        assertThat(job.run()).isEqualTo("job");
    }

    @Test
    void aLeaseEndsWhenTheTestSaysSo() {
        LockOptions unrenewed = LockOptions.defaults().withoutRenewal();
        Lease lease = locks.tryAcquire("key", unrenewed).orElseThrow();

        time.advance(unrenewed.ttl());

        await().until(() -> lease.lost().toCompletableFuture().isDone());
        assertThat(locks.tryAcquire("key", unrenewed)).isPresent();
    }

    @Test
    void tokensAreGreaterThanThoseThatAnEarlierContextLeftInADatabase() throws InterruptedException {
        WallClock earlier = () -> WallClock.system().millis() - 1_000;
        MemoryStore store = new MemoryStore(TokenMode.CLOCK_FLOOR, time, earlier);
        FencingToken left = Locks.over(new MemoryLockBackend(store)).call("row", Lease::token);

        assertThat(locks.call("row", Lease::token)).isGreaterThan(left);
    }

    @Import(Job.class)
    static class Application {}

    static class Job {
        @Locked("job")
        public String run() {
            return CurrentLease.required().key().value();
        }
    }
}
