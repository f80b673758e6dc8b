package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.redis.link.LettuceLink;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of several threads that go together in one command. The driver's thread is held up, so that the calls gather. */
@Timeout(60)
class RedisSharedCallsTest {

    private static final Duration TTL = Duration.ofMinutes(10);
    private static final RedisOptions OPTIONS = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(3));

    private final RedisServer server = RedisServer.start(RedisSettings.inMemory());
    private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
    private LettuceLink link;
    private RedisLockBackend backend;
    private CountDownLatch driver;

    @BeforeEach
    void open() throws Exception {
        LettuceStore store =
                RedisAddress.parse("redis://127.0.0.1:" + proxy.port(), "").open(OPTIONS.commandTimeout());
        link = LettuceLink.open(store, OPTIONS.commandTimeout());
        backend = new RedisLockBackend(link, store.errors(), OPTIONS);
        for (int i = 0; i < 2; i++) { // once by themselves, and once together, so that the server has all scripts
            blockDriver();
            List<FutureTask<Acquisition>> warm = acquireAll("warm " + i, 2);
            driver.countDown();
            for (FutureTask<Acquisition> call : warm) {
                Grant grant = ((Granted) call.get()).grant();
                backend.release(grant.key(), grant.lockId());
            }
        }
        await().until(() -> commands() > 0);
        server.call("CONFIG", "RESETSTAT");
        blockDriver();
    }

    @AfterEach
    void close() {
        driver.countDown();
        backend.close();
        proxy.close();
        server.close();
    }

    @Test
    void areOneCommandAndEachGetsItsOwnReply() throws Exception {
        LockKey taken = LockKey.of("taken");
        LockId holder = LockId.random();
        List<FutureTask<Acquisition>> calls = new ArrayList<>(acquireAll("key", 8));
        calls.add(start(() -> backend.acquire(request(taken, holder))));
        calls.add(start(() -> backend.acquire(request(taken, LockId.random()))));
        FutureTask<Boolean> released = start(() -> backend.release(taken, holder));
        FutureTask<Boolean> unknown = start(() -> backend.release(LockKey.of("key 0"), LockId.random()));

        driver.countDown();

        for (int i = 0; i < 9; i++) {
            Grant grant = ((Granted) calls.get(i).get()).grant();
            assertThat(grant.key()).isEqualTo(i < 8 ? LockKey.of("key " + i) : taken);
            assertThat(backend.lookup(grant.key()).map(LockRecord::raw))
                    .isEqualTo(i < 8 ? Optional.of(grant) : Optional.empty());
        }
        assertThat(calls.get(9).get()).isInstanceOf(Contended.class);
        assertThat(released.get()).as("after the acquire that came before it").isTrue();
        assertThat(unknown.get()).isFalse();
        assertThat(commands()).isEqualTo(1 + 9); // and nine lookups
    }

    @Test
    void areNotMoreThanAServerCanRunQuickly() throws Exception {
        List<FutureTask<Acquisition>> calls = acquireAll("key", 40);

        driver.countDown();

        for (FutureTask<Acquisition> call : calls) {
            assertThat(call.get()).isInstanceOf(Granted.class);
        }
        assertThat(commands()).isEqualTo(2);
    }

    @Test
    @Tag("G10")
    void doNotFailBecauseAnotherFails() throws Exception {
        server.call("SET", "fenceline:{no lock}", "of somebody else's");
        List<FutureTask<Acquisition>> calls = new ArrayList<>(acquireAll("before", 2));
        FutureTask<Acquisition> fails = start(() -> backend.acquire(request(LockKey.of("no lock"), LockId.random())));
        calls.addAll(acquireAll("after", 2));

        driver.countDown();

        for (FutureTask<Acquisition> call : calls) {
            assertThat(call.get()).isInstanceOf(Granted.class);
        }
        assertThat(failureOf(fails)).hasMessageContaining("WRONGTYPE");
        assertThat(failureOf(fails).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(commands()).isEqualTo(1);
    }

    @Test
    @Tag("G7")
    void areEachRepeatedUnderTheirOwnIdIfTheReplyIsLost() throws Exception {
        List<AcquireRequest> requests = new ArrayList<>();
        List<FutureTask<Acquisition>> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            AcquireRequest request = request(LockKey.of("key " + i), LockId.random());
            requests.add(request);
            calls.add(start(() -> backend.acquire(request)));
        }
        proxy.toClient().stall();
        driver.countDown();

        for (FutureTask<Acquisition> call : calls) {
            // The first one to time out discards the connection.
            assertThat(failureOf(call).code()).isIn(ErrorCode.NETWORK_TIMEOUT, ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failureOf(call).effect()).isEqualTo(Effect.UNKNOWN);
        }
        proxy.cut();
        proxy.heal();
        for (AcquireRequest request : requests) {
            await().ignoreExceptions().until(() -> backend.isLocked(request.key()));
            Grant stored = backend.lookup(request.key()).orElseThrow().raw();
            assertThat(((Granted) backend.acquire(request)).grant()).isEqualTo(stored);
            assertThat(stored.lockId()).isEqualTo(request.lockId());
        }
    }

    @Test
    @Tag("G10")
    void doNotWaitForEachOthersDeadlines() throws Exception {
        LockId hasty = LockId.random();
        AcquireRequest brief = new AcquireRequest(
                LockKey.of("hasty"), hasty, TTL, Holder.of("node"), 1, Duration.ZERO, Duration.ofMillis(50));
        List<FutureTask<Acquisition>> calls = acquireAll("key", 3);

        BackendException late = catchThrowableOfType(BackendException.class, () -> backend.acquire(brief));

        assertThat(late.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        assertThat(late.effect()).isEqualTo(Effect.UNKNOWN);
        FutureTask<Boolean> undone = start(() -> backend.release(brief.key(), hasty));
        driver.countDown();
        for (FutureTask<Acquisition> call : calls) {
            assertThat(call.get()).isInstanceOf(Granted.class);
        }
        assertThat(undone.get()).as("came after the attempt").isTrue();
    }

    @Test
    void areRepeatedOneByOneIfTheServerForgotTheScripts() throws Exception {
        server.call("SCRIPT", "FLUSH");
        List<FutureTask<Acquisition>> calls = acquireAll("key", 5);
        driver.countDown();
        for (FutureTask<Acquisition> call : calls) {
            assertThat(call.get()).isInstanceOf(Granted.class);
        }
        blockDriver();
        server.call("CONFIG", "RESETSTAT");
        calls = acquireAll("later", 5);

        driver.countDown();

        for (FutureTask<Acquisition> call : calls) {
            assertThat(call.get()).isInstanceOf(Granted.class);
        }
        assertThat(commands()).as("they share a command again").isEqualTo(1);
        assertThat(server.info("cmdstat_eval")).as("which the server knows").isEmpty();
    }

    @Test
    @Tag("G10")
    void allFailIfTheConnectionEndsBeforeTheyAreSent() throws Exception {
        List<FutureTask<Acquisition>> calls = acquireAll("key", 5);
        server.kill();
        proxy.cut();

        driver.countDown();

        for (FutureTask<Acquisition> call : calls) {
            assertThat(failureOf(call).code()).isIn(ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.NETWORK_TIMEOUT);
        }
        server.startAgain();
        await().ignoreExceptions().until(() -> !backend.isLocked(LockKey.of("key 0")));
        assertThat(backend.acquire(request(LockKey.of("key 0"), LockId.random())))
                .isInstanceOf(Granted.class);
    }

    @Test
    void thatFailToBeSentAllFailAndNoneHangs() throws Exception {
        driver.countDown();
        server.kill();
        proxy.cut();
        await().until(() ->
                catchThrowableOfType(BackendException.class, () -> backend.release(LockKey.of("a"), LockId.random()))
                        != null);

        for (FutureTask<Acquisition> call : acquireAll("key", 50)) {
            assertThat(failureOf(call).code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failureOf(call).effect()).isEqualTo(Effect.NONE);
        }
    }

    private List<FutureTask<Acquisition>> acquireAll(String name, int count) {
        List<FutureTask<Acquisition>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LockKey key = LockKey.of(name + " " + i);
            calls.add(start(() -> backend.acquire(request(key, LockId.random()))));
        }
        return calls;
    }

    /** Starts a call, and returns when it waits for its reply or has it. */
    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.start();
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> task.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        return task;
    }

    private static BackendException failureOf(FutureTask<?> call) {
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, call::get);
        return (BackendException) failure.getCause();
    }

    /** Holds up the thread that writes commands and reads replies. */
    private void blockDriver() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        proxy.stall(); // so that the reply comes after thenRun
        var unused = link.send(RedisScript.of(false, "return 1"), new String[] {"any"})
                .thenRun(() -> {
                    blocked.countDown();
                    try {
                        goOn.await(30, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        proxy.heal();
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
        driver = goOn;
    }

    private long commands() {
        String stats = server.info("cmdstat_evalsha");
        return stats.isEmpty() ? 0 : Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }

    private static AcquireRequest request(LockKey key, LockId lockId) {
        return new AcquireRequest(key, lockId, TTL, Holder.of("node"), 1, Duration.ZERO, LockOptions.MAX_TTL);
    }
}
