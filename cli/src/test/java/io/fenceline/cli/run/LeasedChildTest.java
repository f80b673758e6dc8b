package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.cli.process.ChildCommand;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A real child under a lease whose time stands still, so that only the child's own deadline can come. */
class LeasedChildTest {

    /** Nobody is killed for being slow. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static final Duration MARGIN = Duration.ofMillis(100);
    private static final int TERMINATED = 128 + 15;
    private static final int KILLED = 128 + 9;

    private final ManualTime time = new ManualTime();
    private final MemoryLockBackend backend = new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, time, time));
    private final Locks locks =
            Locks.builder(backend).time(time.source()).withoutThread().build();

    private Lease lease(Duration ttl) throws InterruptedException {
        return locks.acquire("k", LockOptions.defaults().withTtl(ttl).withSafetyMargin(MARGIN));
    }

    private static LeasedChild start(Lease lease, String... words) throws Exception {
        return LeasedChild.start(ChildCommand.of(words), lease, GRACE);
    }

    @Test
    void isStoppedAtItsDeadlineAndNotRevivedByALateRenewal() throws Exception {
        Lease lease = lease(Duration.ofMillis(500));
        LeasedChild leased = start(lease, "sleep", "1000");
        try (var child = leased.process()) {
            assertThat(child.waitFor()).isEqualTo(TERMINATED);
        }
        assertThat(lease.isHeld()).isTrue();
        lease.extend(Duration.ofMinutes(10));
        leased.follow();
        assertThat(leased.hasComeDue()).isTrue();
    }

    @Test
    void livesOnWithARenewedLease() throws Exception {
        Lease lease = lease(Duration.ofSeconds(4));
        LeasedChild leased = start(lease, "sleep", "5");
        lease.extend(Duration.ofMinutes(10));
        leased.follow();
        try (var child = leased.process()) {
            assertThat(child.waitFor()).isZero();
        }
        assertThat(leased.hasComeDue()).isFalse();
    }

    @Test
    void isStoppedAtOnceWhenTheStoreHasItsLeaseNoMore() throws Exception {
        Lease lease = lease(Duration.ofMinutes(10));
        LeasedChild leased = start(lease, "sleep", "1000");
        backend.forceRelease(LockKey.of("k"), Holder.of("an operator"));
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(10))).isInstanceOf(LeaseLostException.class);
        try (var child = leased.process()) {
            assertThat(child.waitFor()).isEqualTo(TERMINATED);
        }
        assertThat(leased.hasComeDue()).isTrue();
    }

    /** Told again and again to stop, as by a loss that is noticed late, it is killed when it was to be at first. */
    @Test
    void isKilledNoLaterForBeingToldToStopAgain() throws Exception {
        ChildCommand stubborn = ChildCommand.of("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done");
        LeasedChild leased =
                LeasedChild.start(stubborn, () -> Duration.ofSeconds(1), Duration.ofSeconds(2)); // longer than a poll
        try (var child = leased.process()) {
            ProcessHandle handle = ProcessHandle.of(child.pid()).orElseThrow();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                leased.stop();
                return !handle.isAlive();
            });
            assertThat(child.waitFor()).isEqualTo(KILLED);
        }
    }
}
