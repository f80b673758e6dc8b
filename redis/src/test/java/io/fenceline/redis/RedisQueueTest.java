package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Signal.HandedOver;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The line of waiters: first come, first served across processes, and the dead do not hold it up. */
class RedisQueueTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(250);

    private static RedisServer server;

    private final List<RedisLockBackend> open = new ArrayList<>();
    private RedisLockBackend one;
    private RedisLockBackend two;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void openTwo() {
        server.flush();
        one = open(RedisOptions.defaults());
        two = open(RedisOptions.defaults());
    }

    @AfterEach
    void close() {
        open.forEach(RedisLockBackend::close);
    }

    @Test
    void servesTwoProcessesInTheOrderInWhichTheyCame() throws InterruptedException {
        Grant grant = take(one);
        List<Waiter> line = List.of(waiter(one), waiter(two), waiter(two), waiter(one), waiter(two));

        for (Waiter next : line) {
            assertThat(one.release(KEY, grant.lockId())).isTrue();
            Grant handedOver = next.handedOver();
            assertThat(handedOver.token()).isGreaterThan(grant.token());
            assertThat(line).filteredOn(waiter -> waiter != next).allMatch(waiter -> waiter.heard.isEmpty());
            grant = handedOver;
        }
        assertThat(one.release(KEY, grant.lockId())).isTrue();
        assertThat(one.isLocked(KEY)).isFalse();
    }

    @Test
    void costsTwoCommandsForEachGrantAndOneMessage() throws InterruptedException {
        Grant grant = take(one);
        Waiter first = waiter(two);
        server.call("CONFIG", "RESETSTAT");

        for (int i = 0; i < 10; i++) {
            Waiter next = waiter(i % 2 == 0 ? one : two);
            one.release(KEY, grant.lockId());
            grant = first.handedOver();
            first = next;
        }

        assertThat(server.info("cmdstat_evalsha")).startsWith("calls=20,");
        assertThat(server.info("cmdstat_publish")).startsWith("calls=10,");
    }

    @Test
    void givesTheHandedOverGrantToTheTermsOfItsOwnRequest() throws InterruptedException {
        Grant grant = take(one);
        LockId lockId = LockId.random();
        AcquireRequest request =
                new AcquireRequest(KEY, lockId, Duration.ofSeconds(77), Holder.of("a b"), 5, Duration.ofMinutes(1));
        Waiter waiter = waiter(two, request);

        one.release(KEY, grant.lockId());

        Grant handedOver = waiter.handedOver();
        assertThat(handedOver.tokens()).isEqualTo(5);
        assertThat(handedOver.holder()).isEqualTo(Holder.of("a b"));
        assertThat(Duration.between(handedOver.acquiredAt(), handedOver.expiresAt()))
                .isEqualTo(Duration.ofSeconds(77));
        assertThat(granted(two.acquire(request))).isEqualTo(handedOver);
        assertThat(one.lookup(KEY).orElseThrow().raw()).isEqualTo(handedOver);
    }

    @Test
    void letsNobodyOvertakeWhenALeaseHasExpired() throws InterruptedException {
        granted(one.acquire(AcquireRequest.of(KEY, LockId.random(), SHORT, Holder.of("dies"))));
        Waiter first = waiter(one);
        await().until(() -> !one.isLocked(KEY));

        assertThat(two.acquire(request(LockId.random(), Duration.ZERO))).isInstanceOf(Contended.class);

        assertThat(first.handedOver().lockId()).isEqualTo(first.request.lockId());
    }

    @Test
    void keepsThePlaceOfAWaiterThatAsksAgain() throws InterruptedException {
        Grant grant = take(one);
        Waiter first = waiter(one);
        Waiter second = waiter(two);
        assertThat(((Contended) one.acquire(first.request)).queued()).isTrue();

        one.release(KEY, grant.lockId());

        first.handedOver();
        assertThat(second.heard).isEmpty();
    }

    @Test
    void passesOverAWaiterWhosePlaceTimedOut() throws InterruptedException {
        RedisLockBackend hasty = open(RedisOptions.defaults().withWaiterTimeout(Duration.ofMillis(50)));
        Grant grant = take(one);
        Waiter gone = waiter(hasty);
        Waiter alive = waiter(two);
        Thread.sleep(60);

        one.release(KEY, grant.lockId());

        alive.handedOver();
        assertThat(gone.heard).isEmpty();
    }

    @Test
    void passesOverAWaiterWhoseProcessIsGoneAtOnce() throws InterruptedException {
        Grant grant = take(one);
        RedisLockBackend dying = open(RedisOptions.defaults());
        waiter(dying);
        dying.close();
        await().until(() -> ((List<?>) server.call("PUBSUB", "CHANNELS")).isEmpty());
        Waiter alive = waiter(two);

        one.release(KEY, grant.lockId());

        assertThat(alive.handedOver().token().value())
                .isGreaterThan(grant.token().value());
    }

    @Test
    void freesTheLockIfAllWhoWaitedAreGone() {
        Grant grant = take(one);
        RedisLockBackend dying = open(RedisOptions.defaults());
        waiter(dying);
        dying.close();
        await().until(() -> ((List<?>) server.call("PUBSUB", "CHANNELS")).isEmpty());

        one.release(KEY, grant.lockId());

        assertThat(one.isLocked(KEY)).isFalse();
        take(one);
    }

    @Test
    void takesOutWhoGivesUp() throws InterruptedException {
        Grant grant = take(one);
        Waiter gaveUp = waiter(one);
        Waiter second = waiter(two);
        assertThat(one.release(KEY, gaveUp.request.lockId())).isFalse();

        one.release(KEY, grant.lockId());

        second.handedOver();
        assertThat(gaveUp.heard).isEmpty();
    }

    @Test
    void handsOverWhatIsReleasedByForce() throws InterruptedException {
        Grant grant = take(one);
        Waiter waiter = waiter(two);

        one.ability(LockCatalog.class).orElseThrow().forceRelease(KEY, Holder.of("operator"));

        assertThat(waiter.handedOver().token().value())
                .isGreaterThan(grant.token().value() + 1);
    }

    @Test
    void givesTheGrantWhoseMessageWasLostToWhoAsks() {
        Grant grant = take(one);
        AcquireRequest request = request(LockId.random(), Duration.ofMinutes(1));
        assertThat(((Contended) two.acquire(request)).queued()).isTrue();
        // Nobody listens to this message: it came and was lost.
        one.release(KEY, grant.lockId());

        Grant handedOver = granted(two.acquire(request));

        assertThat(handedOver.token()).isGreaterThan(grant.token());
        assertThat(granted(two.acquire(request))).isEqualTo(handedOver);
    }

    @Test
    void keepsAMessageThatComesBeforeTheWaiterListens() throws InterruptedException {
        Grant grant = take(one);
        AcquireRequest request = request(LockId.random(), Duration.ofMinutes(1));
        two.acquire(request);
        one.release(KEY, grant.lockId());
        BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();

        two.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, request.lockId(), heard::add);

        assertThat(heard.poll(10, TimeUnit.SECONDS)).isInstanceOf(HandedOver.class);
    }

    @Test
    void tellsEveryWaiterToAskAgainAfterTheChannelWasAway() throws InterruptedException {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
            RedisLockBackend shaky = open("redis://127.0.0.1:" + proxy.port(), RedisOptions.defaults());
            take(one);
            Waiter waiter = waiter(shaky);

            proxy.cut();

            assertThat(waiter.heard.poll(10, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
            await().ignoreExceptions().until(() -> ((Contended) shaky.acquire(waiter.request)).queued());
        }
    }

    /** It would else sleep until the old end. */
    @Test
    void tellsTheFirstWaiterThatTheLeaseEndsSooner() throws InterruptedException {
        Grant grant = take(one);
        Waiter first = waiter(two);
        Waiter second = waiter(one);

        assertThat(one.releaseAfter(KEY, grant.lockId(), TTL.dividedBy(2))).isTrue();

        assertThat(first.heard.poll(10, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
        assertThat(second.heard).isEmpty();
    }

    @Test
    void isNotEnteredByWhoCannotBeTold() {
        take(one);
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
            RedisLockBackend deaf = open(
                    "redis://127.0.0.1:" + proxy.port(),
                    RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(1)));
            proxy.blackHole();

            Contended refusal = (Contended) deaf.acquire(request(LockId.random(), Duration.ofMinutes(1)));

            assertThat(refusal.queued()).isFalse();
            assertThat(String.valueOf(server.call("HKEYS", "fenceline:{invoice:42}")))
                    .doesNotContain("w:");
        }
    }

    private RedisLockBackend open(RedisOptions options) {
        return open(server.uri(), options);
    }

    private RedisLockBackend open(String uri, RedisOptions options) {
        RedisLockBackend backend = RedisLockBackend.open(uri, options);
        open.add(backend);
        return backend;
    }

    private static Grant take(RedisLockBackend backend) {
        return granted(backend.acquire(request(LockId.random(), Duration.ZERO)));
    }

    private static Grant granted(Acquisition outcome) {
        assertThat(outcome).isInstanceOf(Granted.class);
        return ((Granted) outcome).grant();
    }

    private static AcquireRequest request(LockId lockId, Duration maxWait) {
        return new AcquireRequest(KEY, lockId, TTL, Holder.of("node"), 1, maxWait);
    }

    private static Waiter waiter(RedisLockBackend backend) {
        return waiter(backend, request(LockId.random(), Duration.ofMinutes(1)));
    }

    /** Asks in vain, so that it stands in line, and listens. */
    private static Waiter waiter(RedisLockBackend backend, AcquireRequest request) {
        Waiter waiter = new Waiter(request, new LinkedBlockingQueue<>());
        assertThat(((Contended) backend.acquire(request)).queued()).isTrue();
        backend.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, request.lockId(), waiter.heard::add);
        return waiter;
    }

    private record Waiter(AcquireRequest request, BlockingQueue<Signal> heard) {
        Grant handedOver() throws InterruptedException {
            Signal signal = heard.poll(10, TimeUnit.SECONDS);
            assertThat(signal).isInstanceOf(HandedOver.class);
            return ((HandedOver) signal).grant();
        }
    }
}
