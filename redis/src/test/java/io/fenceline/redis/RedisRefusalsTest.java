package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Refusals of Redis as callers are told them: full memory, replicas, passwords, rights, too many clients. */
class RedisRefusalsTest extends ProxiedRedis {

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

    /** Lettuce connects again by itself, and only logs why that is refused. */
    @Test
    void aPasswordThatIsChangedMeanwhileIsNotToldAsAnOutage() {
        server.call("ACL", "SETUSER", "app", "on", ">first", "~*", "&*", "+@all");
        try (RedisLockBackend app = RedisLockBackend.open("redis://app:first@127.0.0.1:" + server.port(), QUICK)) {
            app.acquire(request(LockId.random()));
            server.call("ACL", "SETUSER", "app", "resetpass", ">second");
            server.call("CLIENT", "KILL", "USER", "app");

            await().until(
                            () -> failureOf(() -> app.acquire(request(LockId.random()))),
                            failure -> failure.code() == ErrorCode.AUTH_FAILED);

            server.call("ACL", "SETUSER", "app", ">first");
            await().ignoreExceptionsInstanceOf(BackendException.class)
                    .until(() -> app.acquire(request(LockId.random())) instanceof Contended);
        }
        server.call("ACL", "DELUSER", "app");
    }

    /** Lettuce may close a connection before it tells why, about once in 150 times. */
    @Test
    void aWrongPasswordIsToldThoughTheFirstConnectionEndsWithoutAReason() throws IOException {
        try (ServerSocket refusing = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Thread replying = new Thread(() -> refuseSecond(refusing), "refusing");
            replying.start();

            BackendException failure = failureOf(
                    () -> RedisLockBackend.open("redis://:wr0ng@127.0.0.1:" + refusing.getLocalPort(), QUICK));

            assertThat(failure.code()).isEqualTo(ErrorCode.AUTH_FAILED);
        }
    }

    /** Ends the first connection after what its client says, and refuses the password on those that follow. */
    private static void refuseSecond(ServerSocket server) {
        String refusal = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
        for (String reply : List.of("", refusal, refusal)) {
            try (Socket client = server.accept()) {
                client.getInputStream().read(new byte[1000]);
                client.getOutputStream().write(reply.getBytes(StandardCharsets.US_ASCII));
                client.shutdownOutput();
                client.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // the client has gone
            }
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

    private long connectionsMade() {
        return Long.parseLong(server.info("total_connections_received"));
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
