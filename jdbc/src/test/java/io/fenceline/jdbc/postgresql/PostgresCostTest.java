package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.net.FaultProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operations cost, counted where a relay, the log's position and the system's views can see it. */
@Timeout(120)
class PostgresCostTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Holder HOLDER = Holder.of("me");
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final int TRIES = 20;

    /** At the end of a page of the log, the position for the next record is already behind the next page's header. */
    private static final int PAGE_HEADER = 40;

    private static PostgresServer server;

    private final FaultProxy relay = FaultProxy.to("127.0.0.1", server.port());
    private final HikariDataSource pool = new HikariDataSource();
    private final String table = TestServer.newSchema(server) + ".fenceline_lock";
    private LockBackend backend;

    @BeforeAll
    static void startQuietServer() {
        // Nothing but the test writes to the log, as far as that can be had.
        server = PostgresServer.start(
                Map.of("autovacuum", "off", "checkpoint_timeout", "1h", "wal_writer_delay", "10s"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void open() {
        pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + relay.port() + "/postgres?user=postgres");
        pool.setMaximumPoolSize(1);
        // No look at the connection's health falls into the count.
        pool.setMinimumIdle(1);
        backend =
                JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(table).withoutSignals());
        backend.ability(SchemaControl.class).orElseThrow().installSchema();
    }

    @AfterEach
    void close() {
        backend.close();
        pool.close();
        relay.close();
    }

    @Test
    void eachOperationIsOneRoundTrip() {
        LockId id = LockId.random();
        for (int i = 0; i < 10; i++) {
            acquire(KEY, id);
            backend.extend(KEY, id, TTL);
            backend.lookup(KEY);
            backend.lookup(id);
            backend.release(KEY, id);
        }

        assertThat(roundTrips(() -> acquire(LockKey.of("fresh"), LockId.random())))
                .as("acquire of an unknown key")
                .isOne();
        assertThat(roundTrips(() -> acquire(KEY, id))).as("acquire").isOne();
        assertThat(roundTrips(() -> acquire(KEY, id))).as("repeated acquire").isOne();
        assertThat(roundTrips(() -> acquire(KEY, LockId.random())))
                .as("refused acquire")
                .isOne();
        assertThat(roundTrips(() -> backend.extend(KEY, id, TTL))).as("extend").isOne();
        assertThat(roundTrips(() -> backend.lookup(KEY))).as("lookup by key").isOne();
        assertThat(roundTrips(() -> backend.lookup(id))).as("lookup by lock id").isOne();
        assertThat(roundTrips(() -> backend.isLocked(KEY))).as("isLocked").isOne();
        assertThat(roundTrips(() -> backend.release(KEY, id))).as("release").isOne();
        assertThat(roundTrips(() -> backend.release(KEY, id)))
                .as("release of nothing")
                .isOne();
    }

    private long roundTrips(Runnable operation) {
        return relay.roundTrips().countDuring(operation);
    }

    @Test
    void refusedAcquiresAndLookupsWriteNothing() throws SQLException {
        LockId holder = LockId.random();
        acquire(KEY, holder);

        assertThat(bytesLogged(() -> assertThat(acquire(KEY, LockId.random())).isInstanceOf(Contended.class)))
                .as("refused acquire")
                .isZero();
        assertThat(bytesLogged(() -> assertThat(acquire(KEY, holder)).isInstanceOf(Granted.class)))
                .as("repeated acquire")
                .isZero();
        assertThat(bytesLogged(() -> backend.lookup(KEY))).as("lookup by key").isZero();
        assertThat(bytesLogged(() -> backend.lookup(LockId.random())))
                .as("lookup by lock id")
                .isZero();
        assertThat(bytesLogged(() -> backend.release(KEY, LockId.random())))
                .as("refused release")
                .isZero();
        assertThat(bytesLogged(() -> backend.extend(KEY, LockId.random(), TTL)))
                .as("refused extend")
                .isZero();
    }

    /** The least of some tries, since the server may write on its own account in one. */
    private long bytesLogged(Runnable operation) throws SQLException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIES && least > 0; i++) {
            long before = inserted();
            operation.run();
            least = Math.min(least, inserted() - before);
        }
        return least;
    }

    @Test
    void aGrantIsOnTheDiskWhenItReturnsAndAReleaseDoesNotWaitForIt() throws SQLException {
        boolean releaseWaited = true;
        for (int i = 0; i < TRIES; i++) {
            LockId id = LockId.random();
            long before = inserted();
            acquire(KEY, id);
            long granted = inserted();
            assertThat(granted).as("a grant is logged").isGreaterThan(before);
            assertThat(flushed()).as("a grant is on the disk").isGreaterThanOrEqualTo(granted - PAGE_HEADER);

            backend.release(KEY, id);
            releaseWaited &= flushed() >= inserted();
        }
        assertThat(releaseWaited).as("every release waited for the disk").isFalse();
    }

    private long inserted() throws SQLException {
        return position("pg_current_wal_insert_lsn()");
    }

    private long flushed() throws SQLException {
        return position("pg_current_wal_flush_lsn()");
    }

    private long position(String function) throws SQLException {
        return Long.parseLong(ask("SELECT (" + function + " - '0/0')::bigint"));
    }

    @Test
    void cyclesLeaveTheIndexAlone() throws SQLException {
        for (int i = 0; i < 200; i++) {
            LockId id = LockId.random();
            acquire(KEY, id);
            backend.release(KEY, id);
        }

        assertThat(Long.parseLong(ask("SELECT pg_relation_size('" + table + "') / current_setting('block_size')::int")))
                .as("pages")
                .isLessThanOrEqualTo(2);
    }

    private Object acquire(LockKey key, LockId id) {
        return backend.acquire(AcquireRequest.of(key, id, TTL, HOLDER));
    }

    private static String ask(String sql) throws SQLException {
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
