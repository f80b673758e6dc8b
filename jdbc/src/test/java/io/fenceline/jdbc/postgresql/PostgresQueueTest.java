package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fenceline.Backends;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Severity;
import io.fenceline.spi.Succession;
import io.fenceline.spi.Succession.Turnover;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters of several processes stand in a queue, and a release grants the lock to the first of them. */
@Timeout(120)
@Tag("L7")
class PostgresQueueTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int PLACES = 64;

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.newSchema(server);
    private final String table = schema + ".fenceline_lock";
    private final SignalId signal = SignalId.of(new LockTable(table), KEY);
    private final List<LockBackend> backends = new ArrayList<>();
    private final LockBackend owner = open();

    /** The process of the holder listens, as one that has waited a moment ago: it knows that others may wait. */
    @BeforeEach
    void listen() throws InterruptedException {
        owner.ability(SchemaControl.class).orElseThrow().installSchema();
        new Waiter(owner, 1);
    }

    @AfterEach
    void close() {
        backends.forEach(LockBackend::close);
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    @Test
    @Tag("G2")
    void releasesGrantToTheFirstInTheQueue() throws Exception {
        Grant held = take();
        List<Waiter> waiters = List.of(new Waiter(open(), 1), new Waiter(open(), 5), new Waiter(owner, 1));
        for (Waiter waiter : waiters) {
            assertThat(waiter.asks().queued()).isTrue();
        }

        for (Waiter waiter : waiters) {
            assertThat(owner.release(KEY, held.lockId())).isTrue();

            Grant next = waiter.handedOver();
            assertThat(next).isEqualTo(owner.lookup(KEY).orElseThrow().raw());
            assertThat(next.lockId()).isEqualTo(waiter.id);
            assertThat(next.tokens()).isEqualTo(waiter.tokens);
            assertThat(next.token()).isGreaterThan(held.lastToken());
            held = next;
        }
        assertThat(owner.release(KEY, held.lockId())).isTrue();
        assertThat(owner.isLocked(KEY)).isFalse();
    }

    /** The release costs no more than that of a lock that nobody wants. Whoever asks first then, the first in the queue gets the lock. */
    @Test
    void aProcessThatDoesNotKnowOfThemFreesTheLockAndTellsAllWaiters() throws Exception {
        LockBackend unaware = open();
        Grant held = take();
        Waiter first = new Waiter(open(), 1);
        Waiter second = new Waiter(open(), 1);
        first.asks();
        second.asks();

        assertThat(unaware.release(KEY, held.lockId())).isTrue();

        assertThat(second.signals.poll(20, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
        assertThat(second.asks().queued()).isTrue();
        assertThat(first.signals.poll(20, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
        first.handedOver();
    }

    /** As each attempt while it waits does. */
    @Test
    void askingAgainKeepsAPlace() throws Exception {
        Grant held = take();
        Waiter first = new Waiter(open(), 1);
        Waiter second = new Waiter(open(), 1);
        first.asks();
        second.asks();
        first.asks();

        owner.release(KEY, held.lockId());

        first.handedOver();
        assertThat(second.signals).isEmpty();
    }

    @Test
    void aWaiterThatGivesUpLeavesTheQueue() throws Exception {
        Grant held = take();
        Waiter first = new Waiter(open(), 1);
        Waiter second = new Waiter(open(), 1);
        first.asks();
        second.asks();

        assertThat(first.backend.release(KEY, first.id)).isFalse();
        owner.release(KEY, held.lockId());

        second.handedOver();
        assertThat(first.signals).isEmpty();
    }

    /** Else the lock would be taken for the ttl of somebody who is dead. */
    @Test
    void aWaiterWhoseConnectionIsGoneIsPassedOver() throws Exception {
        Grant held = take();
        Waiter first = new Waiter(open(), 1);
        Waiter second = new Waiter(open(), 1);
        first.asks();
        second.asks();

        first.backend.close();
        owner.release(KEY, held.lockId());

        second.handedOver();
    }

    @Test
    void aPlaceEndsWithTheWait() throws Exception {
        Grant held = take();
        Waiter first = new Waiter(open(), 1);
        Waiter second = new Waiter(open(), 1);
        first.asks(Duration.ofMillis(1));
        second.asks();
        await().until(() -> isTrue("clock_timestamp() > statement_timestamp() + interval '2 ms'", "pg_sleep(0.003)"));

        owner.release(KEY, held.lockId());

        second.handedOver();
        assertThat(first.signals).isEmpty();
    }

    /** Who comes when it is free finds others before it, and they are told. */
    @Test
    void aLockThatBecameFreeOtherwiseGoesToTheFirstInTheQueue() throws Exception {
        take();
        Waiter first = new Waiter(open(), 1);
        first.asks();
        server.execute("postgres", "UPDATE " + table + " SET expires_at = clock_timestamp()");

        assertThat(owner.acquire(AcquireRequest.of(KEY, LockId.random(), LONG, Holder.of("newcomer"))))
                .isInstanceOf(Contended.class);

        assertThat(first.handedOver()).isEqualTo(owner.lookup(KEY).orElseThrow().raw());
    }

    @Test
    void theFirstInTheQueueTakesALockThatBecameFreeOtherwise() throws Exception {
        take();
        Waiter first = new Waiter(open(), 1);
        Waiter second = new Waiter(open(), 1);
        first.asks();
        second.asks();
        owner.ability(LockCatalog.class).orElseThrow().forceRelease(KEY, Holder.of("operator"));

        Grant grant = ((Granted) first.backend.acquire(first.request(LONG))).grant();
        assertThat(second.backend.acquire(second.request(LONG))).isInstanceOf(Contended.class);
        second.signals.clear();
        first.backend.release(KEY, grant.lockId());

        second.handedOver();
    }

    @Test
    void aYieldGrantsToTheFirstAndGivesTheAskerAPlace() throws Exception {
        Waiter asker = new Waiter(owner, 1);
        Grant held = take();
        Waiter first = new Waiter(open(), 1);
        first.asks();

        Turnover turnover =
                owner.ability(Succession.class).orElseThrow().succeed(held.lockId(), asker.request(LONG), true);

        assertThat(turnover.released()).isTrue();
        assertThat(((Contended) turnover.outcome()).queued()).isTrue();
        assertThat(((Contended) turnover.outcome()).remaining()).isBetween(LONG.minusMinutes(1), LONG);
        Grant grant = first.handedOver();
        first.backend.release(KEY, grant.lockId());
        assertThat(asker.handedOver().token()).isGreaterThan(grant.token());
    }

    @Test
    void aFullQueueTakesNobodyElse() throws Exception {
        take();
        Waiter waiter = new Waiter(open(), 1);
        waiter.asks();
        for (int i = 1; i < PLACES; i++) {
            assertThat(waiter.asks(LockId.random(), LONG).queued()).isTrue();
        }

        assertThat(waiter.asks(LockId.random(), LONG).queued()).isFalse();
        assertThat(waiter.asks().queued()).isTrue();
    }

    @Test
    @Tag("G5")
    void whoAsksForTokensThatAreUsedUpGetsNoPlace() throws Exception {
        take();
        Waiter waiter = new Waiter(open(), 1);
        server.execute(
                "postgres",
                "UPDATE " + table + " SET expires_at = clock_timestamp(), last_fence = " + FencingToken.MAX_VALUE);

        assertThatThrownBy(waiter::asks).hasMessageContaining("used up");

        assertThat(isTrue("waiters IS NULL FROM " + table)).isTrue();
    }

    @Test
    void whoDoesNotWaitOrCannotHearGetsNoPlace() throws Exception {
        take();
        Waiter waiter = new Waiter(open(), 1);
        assertThat(waiter.asks(Duration.ZERO).queued()).isFalse();

        LockBackend deaf = JdbcLockBackend.on(
                TestServer.dataSource(server),
                JdbcOptions.defaults().withTable(table).withoutSignals());
        assertThat(((Contended) deaf.acquire(waiter.request(LONG))).queued()).isFalse();
    }

    /** A refusal says that the id was not granted the lock before it asked; deadlines are counted from it. */
    @Test
    @Tag("L1")
    void anAttemptWaitsForAHandOverToItThatIsStillAtWork() throws Exception {
        Grant held = take();
        Waiter waiter = new Waiter(open(), 1);
        waiter.asks();
        try (Connection releaser = TestServer.dataSource(server).getConnection();
                Statement statement = releaser.createStatement()) {
            releaser.setAutoCommit(false);
            statement.execute("SELECT " + schema + ".fenceline_lock_release_1('" + table + "', '" + KEY.value() + "', '"
                    + held.lockId().text() + "', '5s', " + signal.number() + ")");

            FutureTask<Acquisition> patient = start(waiter.backend, waiter.request(LONG));
            FutureTask<Acquisition> atOnce = start(owner, waiter.request(Duration.ZERO));
            await().until(() -> isTrue(
                    "2 <= (SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"
                            + table + "%' AND pid <> pg_backend_pid())"));
            releaser.commit();

            Granted granted = (Granted) patient.get(30, TimeUnit.SECONDS);
            assertThat(granted.grant()).isEqualTo(waiter.handedOver());
            assertThat(atOnce.get(30, TimeUnit.SECONDS)).isEqualTo(granted);
        }
    }

    /** The column cannot be added while somebody reads the table for long, a backup for instance. */
    @Test
    void withoutTheColumnLockingGoesOnWithoutAQueue() throws Exception {
        Grant held = take();
        server.execute("postgres", "ALTER TABLE " + table + " DROP COLUMN waiters");
        try (Connection reader = TestServer.dataSource(server).getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("SELECT FROM " + table);

            owner.ability(SchemaControl.class).orElseThrow().installSchema();
            Waiter waiter = new Waiter(open(), 1);
            assertThat(waiter.asks().queued()).isFalse();
            assertThat(owner.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                    .filteredOn(finding -> finding.subject().equals("functions"))
                    .allMatch(finding -> finding.severity() == Severity.WARNING);
            owner.release(KEY, held.lockId());
            assertThat(waiter.backend.acquire(waiter.request(LONG))).isInstanceOf(Granted.class);
        }

        owner.ability(SchemaControl.class).orElseThrow().installSchema();
        assertThat(owner.ability(SelfDiagnosis.class).orElseThrow().diagnose())
                .filteredOn(finding -> finding.subject().equals("functions"))
                .allMatch(finding -> finding.severity() == Severity.OK);
    }

    @Test
    void aMessageOfSomebodyElseIsIgnored() throws Exception {
        Grant held = take();
        Waiter waiter = new Waiter(open(), 1);
        waiter.asks();
        for (String nonsense : List.of("a b", waiter.id.text() + " 1 x", waiter.id.text() + " 7 1 now then me")) {
            server.execute("postgres", "NOTIFY " + signal.channel() + ", '" + nonsense + "'");
        }

        owner.release(KEY, held.lockId());

        assertThat(waiter.handedOver().token()).isGreaterThan(held.token());
    }

    private Grant take() {
        return ((Granted) owner.acquire(AcquireRequest.of(KEY, LockId.random(), LONG, Holder.of("me")))).grant();
    }

    private LockBackend open() {
        LockBackend backend = Backends.open(server.uri() + "&table=" + table);
        backends.add(backend);
        return backend;
    }

    private static FutureTask<Acquisition> start(LockBackend backend, AcquireRequest request) {
        FutureTask<Acquisition> task = new FutureTask<>(() -> backend.acquire(request));
        new Thread(task).start();
        return task;
    }

    private boolean isTrue(String condition, String... before) throws SQLException {
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + condition
                        + (before.length == 0 ? "" : " FROM (SELECT " + before[0] + ") AS before"))) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /** A waiter whose process listens. */
    private static final class Waiter {
        private final LockBackend backend;
        private final int tokens;
        private final LockId id = LockId.random();
        private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

        /** Subscribes, and waits until the connection listens. */
        Waiter(LockBackend backend, int tokens) throws InterruptedException {
            this.backend = backend;
            this.tokens = tokens;
            backend.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, id, signals::add);
            assertThat(signals.poll(20, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
        }

        Contended asks() {
            return asks(LONG);
        }

        Contended asks(Duration maxWait) {
            return asks(id, maxWait);
        }

        Contended asks(LockId lockId, Duration maxWait) {
            return (Contended) backend.acquire(request(lockId, maxWait));
        }

        AcquireRequest request(Duration maxWait) {
            return request(id, maxWait);
        }

        private AcquireRequest request(LockId lockId, Duration maxWait) {
            return new AcquireRequest(KEY, lockId, LONG, Holder.of("waiter of some process"), tokens, maxWait);
        }

        Grant handedOver() throws InterruptedException {
            Signal signal = signals.poll(20, TimeUnit.SECONDS);
            assertThat(signal).isInstanceOf(Signal.HandedOver.class);
            return ((Signal.HandedOver) signal).grant();
        }
    }
}
