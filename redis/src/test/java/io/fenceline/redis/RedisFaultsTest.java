package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.ReleaseOutcome;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockCatalog;
import io.fenceline.testkit.net.FaultProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What callers are told when the server, the network or the rights fail, and that all is well again afterwards. */
@Timeout(60)
class RedisFaultsTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final RedisOptions QUICK = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));

    private RedisServer server;
    private FaultProxy proxy;
    private RedisLockBackend backend;

    @BeforeEach
    void open() {
        server = RedisServer.start(RedisSettings.inMemory());
        proxy = FaultProxy.to("127.0.0.1", server.port());
        backend = RedisLockBackend.open("redis://127.0.0.1:" + proxy.port(), QUICK);
        backend.isLocked(KEY);
    }

    @AfterEach
    void close() {
        backend.close();
        proxy.close();
        server.close();
    }

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
    void fullMemoryRefusesGrantsAndLeavesLeasesToTheirHolders() {
        LockId holder = LockId.random();
        LockId waiter = LockId.random();
        take(holder);
        AcquireRequest patient =
                new AcquireRequest(KEY, waiter, Duration.ofMinutes(1), Holder.of("waiter"), 1, Duration.ofMinutes(1));
        assertThat(((Contended) backend.acquire(patient)).queued()).isTrue();
        server.call("CONFIG", "SET", "maxmemory", "1");

        BackendException failure = failureOf(() -> backend.acquire(
                AcquireRequest.of(LockKey.of("other"), LockId.random(), Duration.ofSeconds(9), Holder.of("h"))));

        assertThat(failure.code()).isEqualTo(ErrorCode.RATE_LIMITED);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        assertThat(server.call("DBSIZE")).isEqualTo(1L);
        assertThat(backend.extend(KEY, holder, Duration.ofMinutes(2))).isPresent();
        assertThat(backend.releaseAfter(KEY, holder, Duration.ofMinutes(1))).isTrue();
        assertThat(backend.release(KEY, holder)).isTrue();
        assertThat(backend.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(waiter);
        assertThat(backend.release(KEY, waiter)).isTrue();
        server.call("CONFIG", "SET", "maxmemory", "0");
        take(LockId.random());
    }

    @Test
    @Tag("L4")
    void fullMemoryDoesNotKeepALeaseFromBeingReleasedThoughAThreadOfTheSameProcessWaits() throws Exception {
        LockOptions options =
                LockOptions.defaults().withTtl(Duration.ofMinutes(10)).withMaxWait(Duration.ofMinutes(10));
        RedisOptions unhurried = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(20));
        try (RedisLockBackend redis = RedisLockBackend.open(server.uri(), unhurried);
                Locks locks = Locks.over(redis)) {
            Lease lease = locks.acquire(KEY.value(), options);
            FutureTask<Lease> next = new FutureTask<>(() -> locks.acquire(KEY.value(), options));
            Thread waiter = new Thread(next);
            waiter.start();
            await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
            server.call("CONFIG", "SET", "maxmemory", "1");

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(redis.isLocked(KEY)).isFalse();
            server.call("CONFIG", "SET", "maxmemory", "0");
            next.get(20, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void aReplicaIsNotAMaster() {
        try (RedisServer replica =
                        RedisServer.start(RedisSettings.inMemory().with("replicaof", "127.0.0.1 " + server.port()));
                RedisLockBackend wrong = RedisLockBackend.open(replica.uri(), QUICK)) {
            BackendException failure = failureOf(() -> wrong.acquire(request(LockId.random())));

            assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
            assertThat(failure).hasMessageContaining("replica");
        }
    }

    @Test
    void tooFewReplicasAreAnOutage() {
        server.call("CONFIG", "SET", "min-replicas-to-write", "1");

        BackendException failure = failureOf(() -> take(LockId.random()));

        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        server.call("CONFIG", "SET", "min-replicas-to-write", "0");
        take(LockId.random());
    }

    @Test
    void aWrongPasswordIsToldWithoutShowingIt() {
        server.call("CONFIG", "SET", "requirepass", "right");

        for (String credentials : new String[] {":wr0ng-secret@", "nobody:wr0ng-secret@"}) {
            BackendException failure = failureOf(
                    () -> RedisLockBackend.open("redis://" + credentials + "127.0.0.1:" + server.port(), QUICK));

            assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
            assertThat(failure).hasStackTraceContaining("127.0.0.1");
            assertThat(stackTrace(failure)).doesNotContain("wr0ng-secret");
        }
    }

    @Test
    void aMissingPasswordIsToldWithTheRemedy() {
        server.call("CONFIG", "SET", "requirepass", "right");

        BackendException failure = failureOf(() -> RedisLockBackend.open("redis://127.0.0.1:" + server.port(), QUICK)
                .isLocked(KEY));

        assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
        assertThat(failure).hasMessageContaining("REDISCLI_AUTH");
    }

    @Test
    void aPasswordWithStrangeCharactersIsPercentEncoded() {
        server.call("ACL", "SETUSER", "al:ice", "on", ">p@ss/w%rd", "~*", "&*", "+@all");

        try (RedisLockBackend named =
                RedisLockBackend.open("redis://al%3Aice:p%40ss%2Fw%25rd@127.0.0.1:" + server.port() + "/0", QUICK)) {
            assertThat(named.isLocked(KEY)).isFalse();
        }
    }

    @Test
    void aMissingRightIsToldAndIsNoOutage() {
        server.call(
                "ACL",
                "SETUSER",
                "reader",
                "on",
                ">secret",
                "~*",
                "&*",
                "+@read",
                "+@connection",
                "+time",
                "+eval",
                "+evalsha");

        try (RedisLockBackend reader =
                RedisLockBackend.open("redis://reader:secret@127.0.0.1:" + server.port(), QUICK)) {
            assertThat(reader.isLocked(KEY)).isFalse();
            assertThat(failureOf(() -> reader.acquire(request(LockId.random()))).code())
                    .isEqualTo(ErrorCode.AUTH_FAILED);
        }
    }

    /** Redis 7 gives new users no channels. */
    @Test
    void aRefusedSubscriptionIsNotTriedAgainByEachWaiter() {
        server.call("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "resetchannels", "+@all");
        take(LockId.random());

        try (RedisLockBackend deaf = RedisLockBackend.open("redis://deaf:secret@127.0.0.1:" + server.port(), QUICK)) {
            assertThat(deaf.acquire(patient(LockId.random())))
                    .isInstanceOfSatisfying(
                            Contended.class,
                            refusal -> assertThat(refusal.queued()).isFalse());
            long before = connectionsMade();
            for (int i = 0; i < 10; i++) {
                deaf.acquire(patient(LockId.random()));
            }
            assertThat(connectionsMade() - before).isLessThan(5);
        }
    }

    @Test
    void theRightsThatTheManualNamesAreEnough() throws Exception {
        String rights =
                "~fenceline:* &fenceline:* +@connection +@scripting +@hash +@keyspace +@pubsub +time -@dangerous";
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "app", "on", ">secret"));
        command.addAll(List.of(rights.split(" ", -1)));
        server.call(command.toArray(String[]::new));
        String uri = "redis://app:secret@127.0.0.1:" + server.port();

        try (RedisLockBackend one = RedisLockBackend.open(uri, QUICK);
                RedisLockBackend another = RedisLockBackend.open(uri, QUICK)) {
            LockId holder = LockId.random();
            LockId waiter = LockId.random();
            assertThat(one.acquire(request(holder))).isInstanceOf(Granted.class);
            assertThat(one.extend(KEY, holder, Duration.ofMinutes(2))).isPresent();
            assertThat(another.acquire(patient(waiter)))
                    .isInstanceOfSatisfying(
                            Contended.class,
                            refusal -> assertThat(refusal.queued()).isTrue());
            assertThat(one.releaseAfter(KEY, holder, Duration.ofMinutes(1))).isTrue();
            assertThat(one.release(KEY, holder)).isTrue();
            assertThat(one.lookup(KEY)).map(LockRecord::raw).map(Grant::lockId).contains(waiter);
            assertThat(one.ability(LockCatalog.class).orElseThrow().list("", 10))
                    .hasSize(1);
        }
    }

    @Test
    void tooManyClientsAreTold() {
        server.call("CONFIG", "SET", "maxclients", "2");

        BackendException failure = failureOf(() -> {
            RedisLockBackend.open("redis://127.0.0.1:" + server.port(), QUICK);
            RedisLockBackend.open("redis://127.0.0.1:" + server.port(), QUICK);
        });

        assertThat(failure.code()).isIn(ErrorCode.RATE_LIMITED, ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
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

    private void take(LockId lockId) {
        assertThat(backend.acquire(request(lockId))).isInstanceOf(Granted.class);
    }

    private void recover() {
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().untilAsserted(() -> backend.isLocked(KEY));
    }

    private long connectionsMade() {
        return Long.parseLong(server.info("total_connections_received"));
    }

    private static AcquireRequest request(LockId lockId) {
        return AcquireRequest.of(KEY, lockId, Duration.ofMinutes(1), Holder.of("node"));
    }

    private static AcquireRequest patient(LockId lockId) {
        return new AcquireRequest(KEY, lockId, Duration.ofMinutes(1), Holder.of("waiter"), 1, Duration.ofMinutes(1));
    }

    private static BackendException failureOf(ThrowingCallable call) {
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static boolean contains(byte[] request, LockId lockId) {
        return new String(request, StandardCharsets.ISO_8859_1).contains(lockId.text());
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
