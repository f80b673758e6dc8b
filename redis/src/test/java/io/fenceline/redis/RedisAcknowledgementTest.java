package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Grants that replicas must have before they are told. */
class RedisAcknowledgementTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration TTL = Duration.ofMinutes(1);

    private RedisServer master;
    private RedisServer replica;

    @BeforeEach
    void start() {
        master = RedisServer.start(RedisSettings.inMemory().with("repl-diskless-sync-delay", "0"));
        replica = RedisServer.start(RedisSettings.inMemory().with("replicaof", "127.0.0.1 " + master.port()));
        await().until(() -> replica.info("master_link_status").equals("up"));
    }

    @AfterEach
    void stop() {
        replica.close();
        master.close();
    }

    @Test
    void isGivenByAReplicaInTheSameRoundTrip() {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", master.port());
                RedisLockBackend backend =
                        open("redis://127.0.0.1:" + proxy.port(), Acknowledgement.of(1, Duration.ofSeconds(2)))) {
            LockId warm = LockId.random();
            backend.acquire(request(warm));
            backend.extend(KEY, warm, TTL);
            backend.release(KEY, warm);
            LockId lockId = LockId.random();

            long trips = proxy.roundTrips()
                    .countDuring(
                            () -> assertThat(backend.acquire(request(lockId))).isInstanceOf(Granted.class));

            assertThat(trips).isBetween(1L, 2L); // the answer of the script may come alone
            assertThat(replica.call("HGET", "fenceline:{invoice:42}", "id")).isEqualTo(lockId.text());
            assertThat(backend.extend(KEY, lockId, TTL)).isPresent();
            assertThat(backend.acquire(request(lockId))).isInstanceOf(Granted.class);
        }
    }

    @Test
    void thatIsMissingUndoesTheGrantAndSaysHowManyThereWere() {
        replica.pause();
        try (RedisLockBackend backend = open(master.uri(), Acknowledgement.majorityOf(3, Duration.ofMillis(100)))) {
            BackendException failure =
                    catchThrowableOfType(BackendException.class, () -> backend.acquire(request(LockId.random())));

            assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            assertThat(failure).hasMessageContaining("0 of 1 replicas");
            assertThat(backend.isLocked(KEY)).isFalse();
        } finally {
            replica.resume();
        }
    }

    @Test
    void isAskedForByAWaiterThatWasGivenTheLock() throws InterruptedException {
        try (RedisLockBackend backend = open(master.uri(), Acknowledgement.of(1, Duration.ofSeconds(2)))) {
            LockId holder = LockId.random();
            backend.acquire(request(holder));
            AcquireRequest waiting =
                    new AcquireRequest(KEY, LockId.random(), TTL, Holder.of("waiter"), 1, Duration.ofMinutes(1));
            assertThat(((Contended) backend.acquire(waiting)).queued()).isTrue();
            BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
            backend.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, waiting.lockId(), heard::add);

            backend.release(KEY, holder);

            assertThat(heard.poll(10, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
            assertThat(backend.acquire(waiting)).isInstanceOf(Granted.class);
        }
    }

    @Test
    void worksInACluster() {
        try (RedisCluster cluster = RedisCluster.start(RedisSettings.inMemory());
                RedisLockBackend backend = open(cluster.uri(), Acknowledgement.of(1, Duration.ofSeconds(2)))) {
            for (int i = 0; i < 10; i++) {
                LockKey key = LockKey.of("key " + i);
                LockId lockId = LockId.random();
                assertThat(backend.acquire(AcquireRequest.of(key, lockId, TTL, Holder.of("node"))))
                        .isInstanceOf(Granted.class);
                assertThat(backend.release(key, lockId)).isTrue();
            }
        }
    }

    @Test
    void hasALimitAndANumber() {
        assertThatIllegalArgumentException().isThrownBy(() -> Acknowledgement.of(-1, TTL));
        assertThatIllegalArgumentException().isThrownBy(() -> Acknowledgement.of(1, Duration.ZERO));
        assertThat(Acknowledgement.majorityOf(5, TTL).replicas()).isEqualTo(2);
    }

    private static RedisLockBackend open(String uri, Acknowledgement acknowledgement) {
        return RedisLockBackend.open(uri, RedisOptions.defaults().withAcknowledgement(acknowledgement));
    }

    private static AcquireRequest request(LockId lockId) {
        return AcquireRequest.of(KEY, lockId, TTL, Holder.of("node"));
    }
}
