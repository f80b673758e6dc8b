package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of leases and waiting when the network fails, with the backend under the engine. */
abstract class NetworkLeaseContract extends NetworkVocabulary {

    private static final long LIMIT_SECONDS = 60;

    @Test
    @Tag("L2")
    void areLostInTimeWhenTheNetworkStallsAndOthersGetTheLockWithAGreaterToken() throws Exception {
        Duration ttl = shortTtl().multipliedBy(4);
        LockBackend elsewhere = fixture().open();
        warm(elsewhere);
        try (Locks locks = Locks.over(backend);
                Locks others = Locks.over(elsewhere)) {
            Lease lease = locks.acquire(KEY.value(), patient().withTtl(ttl));
            assertThat(lease.isHeld()).isTrue();

            proxy().stall();
            assertEndsWithin(ttl, lease);

            lease.lost().toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            proxy().heal();
            try (Lease next = others.acquire(KEY.value(), patient())) {
                assertThat(next.token()).isGreaterThan(lease.token());
                assertThat(lease.isHeld()).isFalse();
                lease.close();
                assertThat(next.isHeld()).isTrue();
                assertThat(retrying(() -> elsewhere.lookup(KEY)).orElseThrow().token())
                        .isEqualTo(next.token());
            }
        }
    }

    @Test
    @Tag("L3")
    void outliveAShortStall() throws Exception {
        Duration ttl = shortTtl().multipliedBy(4).plus(fixture().longestAnswer().multipliedBy(4));
        try (Locks locks = Locks.over(backend);
                Lease lease = locks.acquire(KEY.value(), patient().withTtl(ttl))) {
            proxy().stall();
            fixture().passTime(ttl.dividedBy(2)); // a renewal was due
            proxy().heal();
            fixture().passTime(ttl.dividedBy(2));

            assertThat(lease.isHeld()).isTrue();
            FencingToken stored =
                    retrying(() -> backend.lookup(KEY)).orElseThrow().token();
            assertThat(stored).isEqualTo(lease.token());
        }
    }

    @Test
    @Tag("L5")
    void areGrantedToAWaiterWhoseConnectionsWereCutMeanwhile() throws Exception {
        LockBackend elsewhere = fixture().open();
        Grant holder = take(KEY);
        try (Locks locks = Locks.over(elsewhere)) {
            CompletableFuture<Lease> waiting = locks.acquireAsync(KEY.value(), patient());
            fixture().passTime(Duration.ofMillis(100));
            assertThat(waiting).isNotDone();

            proxy().cut();
            retrying(() -> release(holder));

            try (Lease lease = waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                assertThat(lease.token()).isGreaterThan(holder.token());
            }
        }
    }

    @Test
    @Tag("G7")
    void areNotTakenTwiceWhenTheReplyToAnAcquireIsLost() throws Exception {
        warm(backend);
        try (Locks locks = Locks.over(backend)) {
            CompletableFuture<byte[]> lost =
                    proxy().loseReply(request -> fixture().carries(request, KEY));

            try (Lease lease = locks.acquire(KEY.value(), patient())) {
                assertThat(lost).isCompleted();
                assertHeldBy(lease.grant());
            }

            assertThat(retrying(() -> backend.isLocked(KEY))).isFalse();
        }
    }

    private static LockOptions patient() {
        return LockOptions.defaults().withMaxWait(Duration.ofSeconds(LIMIT_SECONDS));
    }

    /** Watches that a lease that cannot be renewed any more is held no longer than its ttl. */
    private static void assertEndsWithin(Duration ttl, Lease lease) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (true) {
            long seenNanos = System.nanoTime();
            if (!lease.isHeld()) {
                return;
            }
            assertThat(Duration.ofNanos(seenNanos - startNanos)).as("held").isLessThan(ttl);
            Delays.system().park(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
