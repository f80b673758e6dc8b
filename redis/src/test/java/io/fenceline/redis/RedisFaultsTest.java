package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Failures of the server and the network: callers are told, and all is well again afterwards. */
class RedisFaultsTest extends ProxiedRedis {

    @Test
    void aCommandWhoseConnectionIsCutIsNotSentAgain() {
        LockId lockId = LockId.random();
        take(LockId.random()); // the script is known now
        backend.release(KEY, LockId.random());
        server.flush();
        CompletableFuture<byte[]> lost = proxy.loseRequest(request -> contains(request, lockId));

        BackendException failure = failureOf(() -> take(lockId));

        assertThat(lost).isCompleted();
        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        recover();
        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat(backend.lookup(lockId)).isEmpty();
    }

    @Test
    void aGrantWhoseReplyWasLostIsThereForWhoAsksAgain() {
        LockId lockId = LockId.random();
        proxy.loseReply(request -> contains(request, lockId));

        assertThat(failureOf(() -> take(lockId)).effect()).isEqualTo(Effect.UNKNOWN);

        recover();
        assertThat(backend.acquire(request(lockId))).isInstanceOf(Granted.class);
    }

    /** Lettuce subscribes again only to what was confirmed once; without that nobody of this process would ever stand in line. */
    @Test
    void aSubscriptionThatWasLostIsMadeAgain() {
        proxy.loseRequest(request -> new String(request, StandardCharsets.ISO_8859_1).contains("SUBSCRIBE"));
        take(LockId.random());
        LockId waiter = LockId.random();

        await().ignoreExceptionsInstanceOf(BackendException.class)
                .until(() -> backend.acquire(patient(waiter)) instanceof Contended contended && contended.queued());
    }

    @Test
    void aServerThatIsPausedIsATimeoutAndNobodyWaitsLonger() {
        server.pause();
        long began = System.nanoTime();

        BackendException failure = failureOf(() -> take(LockId.random()));

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
        assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failureOf(() -> backend.isLocked(KEY)).effect()).isEqualTo(Effect.NONE);
        server.resume();
        recover();
    }

    @Test
    void aConnectionThatIsOpenAndSilentIsReplaced() {
        proxy.stall();
        assertThat(failureOf(() -> take(LockId.random())).code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);

        proxy.blackHole(); // the old connections stay as they are
        proxy.heal();

        recover();
        assertThat(proxy.openConnections()).isLessThanOrEqualTo(2);
    }

    @Test
    void aServerThatIsGoneWasSentNothing() {
        server.stop();
        await().until(() -> failureOf(() -> take(LockId.random())).effect() == Effect.NONE);

        assertThat(failureOf(() -> take(LockId.random())).code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);

        server.startAgain();
        recover();
    }

    @Test
    void anInterruptedCallerGetsItsAnswerAndKeepsTheStatus() {
        Thread.currentThread().interrupt();

        assertThat(backend.acquire(request(LockId.random()))).isInstanceOf(Granted.class);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aClientOfTheCallersThatRepeatsCommandsIsRefused() {
        RedisURI address = RedisURI.create("127.0.0.1", server.port());
        RedisClient client = RedisClient.create(address);
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedisLockBackend.over(client, address, QUICK))
                    .withMessageContaining("clientOptions");

            client.setOptions(
                    RedisLockBackend.clientOptions(Duration.ofSeconds(1)).build());
            RedisLockBackend over = RedisLockBackend.over(client, address, QUICK);
            assertThat(over.acquire(request(LockId.random()))).isInstanceOf(Granted.class);
            over.close();
            assertThat(client.connect().sync().ping()).isEqualTo("PONG");
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
