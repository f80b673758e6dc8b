package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that the server executes after their callers have gone. */
@Timeout(60)
class RedisLateRequestTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final String LOCK = "fenceline:{invoice:42}";
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final Duration BRIEF = Duration.ofMillis(200);

    /** Places that outlast the test, however slow the machine is. */
    private static final RedisOptions OPTIONS = RedisOptions.defaults().withWaiterTimeout(Duration.ofMinutes(5));

    private static final RedisOptions HASTY = OPTIONS.withCommandTimeout(Duration.ofSeconds(2));
    private static final RedisOptions PATIENT = OPTIONS.withCommandTimeout(Duration.ofSeconds(30));

    private RedisServer server;
    private FaultProxy proxy;
    private RedisLockBackend holder;
    private LockId held;

    @BeforeEach
    void open() {
        server = RedisServer.start(RedisSettings.inMemory());
        proxy = FaultProxy.to("127.0.0.1", server.port());
        holder = RedisLockBackend.open(server.uri(), OPTIONS);
        held = LockId.random();
    }

    @AfterEach
    void close() {
        holder.close();
        proxy.close();
        server.close();
    }

    @Test
    @Tag("L7")
    void aLockIsFreeAfterAWaiterGaveUpWhileTheServerStoodStill() {
        try (RedisLockBackend backend = warm(HASTY);
                Locks locks = Locks.over(backend)) {
            holder.acquire(request(held, Duration.ZERO, LockOptions.MAX_TTL));
            waitWhileTheServerStandsStill(locks);

            assertThat(holder.release(KEY, held)).isTrue();

            await().until(() -> !holder.isLocked(KEY));
        }
    }

    @Test
    @Tag("L7")
    void whatALateRequestIsGrantedIsReleased() {
        try (RedisLockBackend backend = warm(HASTY);
                Locks locks = Locks.over(backend)) {
            String executed = server.info("cmdstat_evalsha");

            waitWhileTheServerStandsStill(locks);

            await().until(() -> !server.info("cmdstat_evalsha").equals(executed));
            await().until(() -> !holder.isLocked(KEY));
        }
    }

    @Test
    @Tag("L7")
    void whatIsHandedToAnIdThatWasGivenUpIsReleased() {
        try (RedisLockBackend backend = warm(HASTY)) {
            LockId gone = giveUpWhileTheServerStandsStill(backend);
            await().ignoreExceptions().until(() -> !backend.release(KEY, gone));
            holder.acquire(request(held, Duration.ZERO, LockOptions.MAX_TTL));
            enterTheQueueLate(gone);

            assertThat(holder.release(KEY, held)).isTrue();

            await().until(() -> !holder.isLocked(KEY));
        }
    }

    @Test
    @Tag("L7")
    void whatIsHandedToAnIdThatWasGivenUpIsReleasedThoughTheMessageWasLost() {
        try (RedisLockBackend backend = warm(HASTY)) {
            LockId gone = giveUpWhileTheServerStandsStill(backend);
            await().ignoreExceptions().until(() -> !backend.release(KEY, gone));
            holder.acquire(request(held, Duration.ZERO, LockOptions.MAX_TTL));
            enterTheQueueLate(gone);
            proxy.toClient().stall();

            assertThat(holder.release(KEY, held)).isTrue();
            assertThat(holder.isLocked(KEY)).isTrue();
            proxy.cut();
            proxy.heal();

            await().until(() -> !holder.isLocked(KEY));
        }
    }

    @Test
    @Tag("L7")
    void anIdThatIsAskedForAgainIsHandedTheLock() {
        try (RedisLockBackend backend = warm(HASTY)) {
            holder.acquire(request(held, Duration.ZERO, LockOptions.MAX_TTL));
            LockId again = giveUpWhileTheServerStandsStill(backend);
            await().ignoreExceptions()
                    .until(() -> ((Contended)
                                    backend.acquire(request(again, Duration.ofMinutes(5), LockOptions.MAX_TTL)))
                            .queued());

            assertThat(holder.release(KEY, held)).isTrue();

            assertThat(backend.acquire(request(again, Duration.ofMinutes(5), LockOptions.MAX_TTL)))
                    .isInstanceOf(Granted.class);
            assertThat(holder.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(again);
        }
    }

    @Test
    @Tag("G10")
    void anAttemptIsWaitedForNoLongerThanItsOwnTimeoutAndTheConnectionStays() {
        try (RedisLockBackend backend = warm(PATIENT)) {
            String before = clients();
            proxy.stall();
            long began = System.nanoTime();

            BackendException failure = attempt(backend, LockId.random());

            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(PATIENT.commandTimeout().dividedBy(2));
            assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
            proxy.heal();
            backend.isLocked(KEY);
            assertThat(clients()).isEqualTo(before);
        }
    }

    @Test
    @Tag("G10")
    void anAttemptWithATimeoutIsUndoneByTheReleaseThatFollowsIt() throws Exception {
        try (RedisLockBackend backend = warm(PATIENT)) {
            proxy.toServer().stall();
            LockId late = LockId.random();
            attempt(backend, late);
            FutureTask<Boolean> release = new FutureTask<>(() -> backend.release(KEY, late));
            new Thread(release).start();

            proxy.heal();

            assertThat(release.get(20, TimeUnit.SECONDS))
                    .as("came after the attempt")
                    .isTrue();
            assertThat(holder.isLocked(KEY)).isFalse();
        }
    }

    @Test
    @Tag("G10")
    void aSilentConnectionIsReplacedThoughEveryCallerWaitsForLessThanTheCommandTimeout() {
        try (RedisLockBackend backend = warm(OPTIONS.withCommandTimeout(Duration.ofSeconds(1)))) {
            String before = clients();
            proxy.stall();
            attempt(backend, LockId.random());

            await().until(() -> proxy.openConnections() > 2);

            proxy.heal();
            await().ignoreExceptions().until(() -> !backend.isLocked(LockKey.of("another")));
            assertThat(clients()).isNotEqualTo(before);
        }
    }

    /** Opens a backend that listens already and has sent its scripts. */
    private RedisLockBackend warm(RedisOptions options) {
        RedisLockBackend backend = RedisLockBackend.open("redis://127.0.0.1:" + proxy.port(), options);
        LockId lockId = LockId.random();
        backend.acquire(request(lockId, Duration.ofMinutes(5), LockOptions.MAX_TTL));
        backend.release(KEY, lockId);
        return backend;
    }

    private void waitWhileTheServerStandsStill(Locks locks) {
        server.pause();
        assertThatThrownBy(() -> locks.acquire(
                        KEY.value(), LockOptions.defaults().withTtl(TTL).withMaxWait(Duration.ofSeconds(1))))
                .isInstanceOf(LockException.class);
        server.resume();
    }

    private LockId giveUpWhileTheServerStandsStill(RedisLockBackend backend) {
        LockId gone = LockId.random();
        server.pause();
        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> backend.acquire(request(gone, Duration.ofMinutes(5), LockOptions.MAX_TTL)));
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(catchThrowableOfType(BackendException.class, () -> backend.release(KEY, gone)))
                .isNotNull();
        server.resume();
        return gone;
    }

    private BackendException attempt(RedisLockBackend backend, LockId lockId) {
        return catchThrowableOfType(
                BackendException.class, () -> backend.acquire(request(lockId, Duration.ofMinutes(5), BRIEF)));
    }

    /** Does what a request does that the network delivers now. */
    private void enterTheQueueLate(LockId lockId) {
        String channel = String.valueOf(((List<?>) server.call("PUBSUB", "CHANNELS")).get(0));
        long lostAt = (System.currentTimeMillis() + TTL.toMillis()) * 1_000;
        server.call(
                "HSET",
                LOCK,
                "head",
                lockId.text(),
                "tail",
                lockId.text(),
                "w:" + lockId,
                lostAt + " " + TTL.toMillis() + " 1 " + channel.substring(channel.lastIndexOf(':') + 1) + " node");
    }

    /** The ids of the clients that came through the proxy, in ascending order. */
    private String clients() {
        return Pattern.compile("(?m)^id=(\\d+) .* cmd=(?:evalsha|eval|subscribe)")
                .matcher(String.valueOf(server.call("CLIENT", "LIST")))
                .results()
                .map(found -> found.group(1))
                .sorted()
                .toList()
                .toString();
    }

    private static AcquireRequest request(LockId lockId, Duration maxWait, Duration timeout) {
        return new AcquireRequest(KEY, lockId, TTL, Holder.of("node"), 1, maxWait, timeout);
    }
}
