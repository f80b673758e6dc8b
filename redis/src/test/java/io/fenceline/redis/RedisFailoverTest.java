package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisSentinel;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master dies in the middle of the work; a replica takes its place. */
@Timeout(120)
class RedisFailoverTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final RedisOptions QUICK = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));

    @Test
    void underSentinelsTheBackendGoesOnAndTokensRise() throws InterruptedException {
        try (RedisSentinel sentinel = RedisSentinel.start(RedisSettings.inMemory());
                RedisLockBackend backend = RedisLockBackend.open(sentinel.uri(), QUICK)) {
            Grant before = grant(backend);
            backend.release(KEY, before.lockId());
            RedisServer dead = sentinel.master();
            dead.kill();

            Grant after = grantAfterFailover(backend);

            assertThat(after.token()).isGreaterThan(before.token());
            assertThat(sentinel.master()).isNotSameAs(dead);
            assertWaitersAreHandedTheLock(backend, after);
        }
    }

    @Test
    @Tag("G10")
    void aMasterThatTheSentinelsDoNotKnowIsAMistakeInTheUri() {
        try (RedisSentinel sentinel = RedisSentinel.start(RedisSettings.inMemory())) {
            String uri = sentinel.uri().replaceFirst("#.*", "#not-there");

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisLockBackend.open(uri, QUICK))
                    .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                    .withMessageContaining("check what follows #");
            for (String scheme : List.of("redis", "redis-cluster")) {
                String ofSentinel =
                        scheme + "://127.0.0.1:" + sentinel.sentinels().get(0).port();
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> RedisLockBackend.open(ofSentinel, QUICK))
                        .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                        .withMessageContaining("begins with redis-sentinel:");
            }
        }
    }

    @Test
    @Tag("G10")
    void sentinelsGetAPasswordOfTheirOwn() {
        try (RedisSentinel all = RedisSentinel.start(RedisSettings.inMemory())) {
            RedisServer sentinel = all.sentinels().get(0);
            String uri = "redis-sentinel://127.0.0.1:" + sentinel.port() + "?sentinelPassword=a%26b" + "#"
                    + all.uri().replaceFirst(".*#", "");
            sentinel.call("ACL", "SETUSER", "default", "resetpass", ">a&b");

            RedisLockBackend.open(uri, QUICK).close();

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisLockBackend.open(uri.replaceFirst("\\?[^#]*", ""), QUICK))
                    .returns(ErrorCode.AUTH_FAILED, BackendException::code)
                    .withMessageContaining("?sentinelPassword=");
        }
    }

    @Test
    @Tag("L5")
    void aSilentSentinelAndASilentReplicaCostNothing() {
        RedisOptions options = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(5));
        try (RedisSentinel sentinel = RedisSentinel.start(RedisSettings.inMemory());
                RedisLockBackend backend = RedisLockBackend.open(sentinel.uri(), options)) {
            backend.release(KEY, grant(backend).lockId());
            sentinel.replica().pause();
            sentinel.sentinels().get(0).pause();

            long began = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                backend.release(KEY, grant(backend).lockId());
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(options.commandTimeout());
            try (RedisLockBackend another = RedisLockBackend.open(sentinel.uri(), options)) {
                assertThat(another.isLocked(KEY)).isFalse();
            }
        }
    }

    @Test
    void aFormerMasterThatComesBackIsNotBelieved() {
        try (RedisSentinel sentinel = RedisSentinel.start(RedisSettings.inMemory());
                RedisLockBackend backend = RedisLockBackend.open(sentinel.uri(), QUICK)) {
            backend.isLocked(KEY);
            RedisServer former = sentinel.master();
            former.pause();
            await().atMost(Duration.ofSeconds(30)).until(() -> sentinel.master() != former);
            Grant after = grantAfterFailover(backend);

            former.resume(); // and takes itself for the master, until a Sentinel tells it otherwise

            assertThat(backend.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(after.lockId());
            try (RedisLockBackend another = RedisLockBackend.open(sentinel.uri(), QUICK)) {
                assertThat(another.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(after.lockId());
            }
        }
    }

    @Test
    void inAClusterTheBackendGoesOnAndTokensRise() throws InterruptedException {
        try (RedisCluster cluster = RedisCluster.start(RedisSettings.inMemory());
                RedisLockBackend backend = RedisLockBackend.open(cluster.uri(), QUICK)) {
            Grant before = grant(backend);
            backend.release(KEY, before.lockId());
            RedisServer dead = cluster.masterOf("fenceline:{" + KEY + "}");
            dead.kill();

            Grant after = grantAfterFailover(backend);

            assertThat(after.token()).isGreaterThan(before.token());
            assertWaitersAreHandedTheLock(backend, after);
        }
    }

    private static Grant grant(RedisLockBackend backend) {
        AcquireRequest request = AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("node"));
        return ((Granted) backend.acquire(request)).grant();
    }

    /** Asks until somebody grants; every failure on the way is one that is worth asking again for. */
    private static Grant grantAfterFailover(RedisLockBackend backend) {
        return await().atMost(Duration.ofSeconds(40))
                .pollInterval(Duration.ofMillis(50))
                .until(
                        () -> {
                            try {
                                return Optional.of(grant(backend));
                            } catch (BackendException away) {
                                assertThat(away.code().isTransient())
                                        .as(away.getMessage())
                                        .isTrue();
                                return Optional.<Grant>empty();
                            }
                        },
                        Optional::isPresent)
                .orElseThrow();
    }

    /** The channel for messages has come back as well. */
    private static void assertWaitersAreHandedTheLock(RedisLockBackend backend, Grant held)
            throws InterruptedException {
        BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
        AcquireRequest request = new AcquireRequest(
                KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("waiter"), 1, Duration.ofMinutes(1));
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(20))
                .until(() -> ((Contended) backend.acquire(request)).queued());
        backend.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, request.lockId(), heard::add);
        heard.clear();

        assertThat(backend.release(KEY, held.lockId())).isTrue();

        assertThat(heard.poll(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(backend.acquire(request)).isInstanceOf(Granted.class);
    }
}
