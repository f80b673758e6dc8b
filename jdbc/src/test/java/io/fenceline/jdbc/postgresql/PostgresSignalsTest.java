package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Subscription;
import io.fenceline.spi.Succession;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** When waiters are told, when nobody is, and what happens to the connection that it goes by. */
@Timeout(120)
class PostgresSignalsTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration LONG = Duration.ofMinutes(5);

    private final PostgresServer server = TestServer.shared();
    private final String schema = TestServer.newSchema(server);
    private final String table = schema + ".fenceline_lock";
    private final BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
    private LockBackend backend;
    private ReleaseSignals signals;

    @BeforeEach
    void open() {
        backend = Backends.open(server.uri() + "&ApplicationName=" + schema + "&table=" + table);
        signals = backend.ability(ReleaseSignals.class).orElseThrow();
    }

    @AfterEach
    void close() {
        backend.close();
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    @Test
    void aReleaseNotifiesNobodyIfNobodyWaits() throws SQLException {
        String channel = SignalId.of(new LockTable(table), KEY).channel();
        try (Connection eavesdropper = TestServer.dataSource(server).getConnection();
                Statement statement = eavesdropper.createStatement()) {
            statement.execute("LISTEN " + channel);
            takeAndRelease();
            statement.execute("NOTIFY " + channel + ", 'end'");

            PGNotification[] arrived = eavesdropper.unwrap(PGConnection.class).getNotifications(5_000);
            assertThat(arrived).extracting(PGNotification::getParameter).containsExactly("end");
        }
    }

    @Test
    void aConnectionThatWasLostIsMadeAnewAndWaitersAreToldOfWhatTheyMayHaveMissed() throws Exception {
        subscribe(LockId.random());
        next();

        int first = listenerPid();
        server.execute("postgres", "SELECT pg_terminate_backend(" + first + ")");

        next();
        await().until(() -> listenerPid() != 0);
        assertThat(listenerPid()).isNotEqualTo(first);
        heard.clear();
        takeAndRelease();
        next();
    }

    @Test
    void aWaiterThatComesWhileTheChannelIsStillOpenIsNotToldWithoutCause() throws Exception {
        Granted held = take();
        Subscription before = subscribe(LockId.random());
        next();
        before.close();

        LockId waiter = LockId.random();
        assertThat(backend.acquire(patient(waiter))).isInstanceOf(Contended.class);
        subscribe(waiter);

        assertThat(heard).isEmpty();
        assertThat(backend.release(KEY, held.grant().lockId())).isTrue();
        next();
    }

    @Test
    void aWaiterHearsOfAReleaseBetweenItsRefusalAndItsSubscription() throws Exception {
        Granted held = take();
        Subscription before = subscribe(LockId.random());
        next();
        LockId waiter = LockId.random();
        assertThat(backend.acquire(patient(waiter))).isInstanceOf(Contended.class);

        assertThat(backend.release(KEY, held.grant().lockId())).isTrue();
        next();
        before.close();
        subscribe(waiter);

        next();
    }

    /** It yields when another session shares the lock of the waiters, and not for the one that its own process listens with. */
    @Test
    @Tag("L7")
    void aSuccessionYieldsToOthersOnlyAndTellsThem() throws Exception {
        Succession succession = backend.ability(Succession.class).orElseThrow();
        LockId last = take().grant().lockId();
        LockId next = LockId.random();
        subscribe(LockId.random());
        next();

        assertThat(succession.succeed(last, patient(next), true).outcome()).isInstanceOf(Granted.class);

        SignalId signal = SignalId.of(new LockTable(table), KEY);
        try (Connection waiter = TestServer.dataSource(server).getConnection();
                Statement statement = waiter.createStatement()) {
            statement.execute(
                    "LISTEN " + signal.channel() + "; SELECT pg_advisory_lock_shared(" + signal.number() + ")");
            String ours = Integer.toString(number(
                    statement,
                    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
                            + " AND (classid::bigint << 32) | objid::bigint = " + signal.number()));

            Succession.Turnover turnover = succession.succeed(next, patient(LockId.random()), true);

            assertThat(turnover.released()).isTrue();
            assertThat(turnover.outcome()).isInstanceOf(Contended.class);
            statement.execute("NOTIFY " + signal.channel() + ", 'end'");
            assertThat(waiter.unwrap(PGConnection.class).getNotifications(5_000))
                    .extracting(PGNotification::getParameter)
                    .containsExactly(ours, "end");
        }
        assertThat(backend.isLocked(KEY)).isFalse();
    }

    @Test
    void theConnectionIsOpenOnlyWhileItIsUsed() throws Exception {
        assertThat(openForSignals()).isZero();
        Subscription subscription = subscribe(LockId.random());
        next();
        assertThat(openForSignals()).isOne();

        subscription.close();

        await().atMost(Duration.ofSeconds(40)).until(() -> openForSignals() == 0);
        subscribe(LockId.random());
        next();
    }

    private int openForSignals() throws SQLException {
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement()) {
            return number(
                    statement,
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + schema + " signals'");
        }
    }

    @Test
    void aConnectionOfTheCallersGoesBackAsItCame() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.jdbcUrl("postgres"));
            pool.setMaximumPoolSize(1);
            pool.setAutoCommit(false);
            LockBackend callers = JdbcLockBackend.on(
                    TestServer.dataSource(server),
                    JdbcOptions.defaults().withTable(table).withSignalsFrom(pool));
            callers.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, LockId.random(), heard::add);
            next();

            callers.close();

            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(connection.getNetworkTimeout()).isZero();
                assertThat(number(statement, "SELECT count(*) FROM pg_listening_channels()"))
                        .isZero();
                assertThat(number(
                                statement,
                                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"))
                        .isZero();
            }
        }
    }

    /** To listen on it would leave none for the locks. */
    @Test
    void aPoolOfOneConnectionIsNotListenedOn() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(TestServer.dataSource(server));
            pool.setMaximumPoolSize(1);
            LockBackend polling =
                    JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(table));

            assertThat(polling.ability(ReleaseSignals.class)).isEmpty();
        }
    }

    @Test
    void aBackendWithoutSignalsHasNoSuchAbility() {
        try (LockBackend polling = JdbcLockBackend.on(
                TestServer.dataSource(server),
                JdbcOptions.defaults().withTable(table).withoutSignals())) {
            assertThat(polling.ability(ReleaseSignals.class)).isEmpty();
        }
    }

    private Subscription subscribe(LockId waiter) {
        return signals.subscribe(KEY, waiter, heard::add);
    }

    private void next() throws InterruptedException {
        assertThat(heard.poll(20, TimeUnit.SECONDS)).isInstanceOf(Signal.Released.class);
    }

    private Granted take() {
        return (Granted) backend.acquire(AcquireRequest.of(KEY, LockId.random(), LONG, Holder.of("me")));
    }

    private void takeAndRelease() {
        assertThat(backend.release(KEY, take().grant().lockId())).isTrue();
    }

    private static AcquireRequest patient(LockId waiter) {
        return new AcquireRequest(KEY, waiter, LONG, Holder.of("waiter"), 1, LONG);
    }

    /** The server process of our connection for signals: the one that holds the lock of the waiters. */
    private int listenerPid() throws SQLException {
        long number = SignalId.of(new LockTable(table), KEY).number();
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement()) {
            return number(
                    statement,
                    "SELECT coalesce(max(pid), 0) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                            + " AND (classid::bigint << 32) | objid::bigint = " + number);
        }
    }

    private static int number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }
}
