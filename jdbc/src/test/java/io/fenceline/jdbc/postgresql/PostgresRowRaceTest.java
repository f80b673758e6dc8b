package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.Succession;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a statement does that had to wait for another: here the other is a transaction that the test ends when the statement waits. */
@Timeout(120)
@ParameterizedClass(name = "version {0}")
@ValueSource(ints = {1, 2})
class PostgresRowRaceTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Duration LONG = Duration.ofMinutes(5);

    private final PostgresServer server = TestServer.shared();
    private final String schema;
    private final String table;
    private final HikariDataSource pool = new HikariDataSource();
    private LockBackend backend;
    private Connection other;

    PostgresRowRaceTest(int version) {
        this.schema = version == 1 ? TestServer.borrowSchemaOfVersion1() : TestServer.borrowSchema();
        this.table = schema + ".fenceline_lock";
    }

    @BeforeEach
    void connect() throws SQLException {
        other = TestServer.dataSource(server).getConnection();
        other.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        other.close();
        pool.close();
        TestServer.giveBack(schema);
    }

    /** With the time at which the statement began, a grant would begin before the lease that it waited for has ended. */
    @Test
    @Tag("G1")
    void aGrantThatWaitedForTheRowBeginsWhenItHasTheRow() throws Exception {
        open("read committed");
        backend.release(KEY, take().lockId());
        execute("UPDATE " + table + " SET holder = 'other'");
        FutureTask<Acquisition> waiting = start(() -> backend.acquire(request(LockId.random())));
        awaitWaiter();
        Instant before = clock();
        other.commit();

        Acquisition.Granted granted = (Granted) waiting.get(30, TimeUnit.SECONDS);

        assertThat(granted.grant().acquiredAt()).isAfterOrEqualTo(before);
        assertThat(granted.grant().expiresAt())
                .isEqualTo(granted.grant().acquiredAt().plus(LONG));
    }

    @Test
    @Tag("G1")
    void aFirstGrantThatWaitedForTheInsertOfAnotherIsNotGrantedTwice() throws Exception {
        open("read committed");
        Instant before = clock();
        execute("INSERT INTO " + table
                + " (lock_key, last_fence, fence, tokens, lock_id, holder, acquired_at, expires_at)"
                + " VALUES ('" + KEY.value() + "', 1, 1, 1, '" + LockId.random().text()
                + "', 'other', clock_timestamp(), clock_timestamp() + interval '1 hour')");
        FutureTask<Acquisition> waiting = start(() -> backend.acquire(request(LockId.random())));
        awaitWaiter();
        other.commit();

        Acquisition.Contended refusal = (Acquisition.Contended) waiting.get(30, TimeUnit.SECONDS);
        assertThat(refusal.holder()).as("who was faster").contains(Holder.of("other"));
        assertThat(backend.lookup(KEY).orElseThrow().raw().acquiredAt()).isAfterOrEqualTo(before);
    }

    /** What another made meanwhile was not seen, and is neither lowered nor recorded as if there had been nothing. */
    @ParameterizedTest
    @Tag("R12")
    @CsvSource({"3, 7, operator 3>7", "9, 9,"})
    void whoRaisesTheTokenOfAKeyThatIsJustBeingMadeSeesWhatItHas(long made, long raised, String record)
            throws Exception {
        open("read committed");
        execute("INSERT INTO " + table
                + " (lock_key, last_fence, fence, tokens, holder, acquired_at, expires_at) VALUES ('" + KEY.value()
                + "', " + made + ", 1, 1, 'other', clock_timestamp(), clock_timestamp())");
        FutureTask<FencingToken> waiting = start(() -> backend.ability(LockCatalog.class)
                .orElseThrow()
                .raiseToken(KEY, FencingToken.of(7), Holder.of("operator")));
        awaitWaiter();
        other.commit();

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(FencingToken.of(raised));
        assertThat(new Sql("SELECT actor || ' ' || fence_before || '>' || fence_after FROM " + table + "_audit")
                        .all(other, row -> row.getString(1)))
                .isEqualTo(Stream.ofNullable(record).toList());
    }

    @ParameterizedTest
    @Tag("R12")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void whoRaisesAFenceThatIsJustBeingMadeSeesWhatItHas(String level) throws Exception {
        open(level);
        String fences = schema + ".fenceline_fences";
        execute("INSERT INTO " + fences + " VALUES ('invoice:42', 'lock', 3, 0, clock_timestamp())");
        FencingToken seven = FencingToken.of(7);
        FutureTask<Fence> waiting = start(() -> backend.ability(FenceCatalog.class)
                .orElseThrow()
                .raise("invoice:42", new FenceStamp(LockKey.of("lock"), seven), Holder.of("operator")));
        awaitWaiter();
        other.commit();

        assertThat(waiting.get(30, TimeUnit.SECONDS).highest()).isEqualTo(seven);
        assertThat(new Sql("SELECT key_before || ' ' || highest_before || '>' || highest_after FROM " + fences
                                + "_audit")
                        .all(other, row -> row.getString(1)))
                .containsExactly("lock 3>7");
    }

    /** A refusal means that the id was not granted before it asked; so a request that is still at work is waited for. */
    @Test
    @Tag("G7")
    void aRequestWaitsForAnotherOfTheSameIdThatIsStillAtWork() throws Exception {
        open("read committed");
        backend.release(KEY, take().lockId());
        LockId id = LockId.random();
        execute("SELECT pg_advisory_xact_lock(hashtextextended('" + id.text() + "', - '" + table
                + "'::regclass::oid::bigint))");
        FutureTask<Acquisition> twin = start(() -> backend.acquire(request(id)));
        awaitWaiter();
        assertThat(twin).isNotDone();
        other.commit();

        assertThat(twin.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
    }

    @Test
    @Tag("G7")
    void aFirstRequestWaitsForAnotherOfTheSameIdThatIsStillAtWork() throws Exception {
        open("read committed");
        LockId id = LockId.random();
        execute("SELECT pg_advisory_xact_lock(hashtextextended('" + id.text() + "', - '" + table
                + "'::regclass::oid::bigint))");
        FutureTask<Acquisition> twin = start(() -> backend.acquire(request(id)));
        awaitWaiter();
        other.commit();

        assertThat(twin.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
    }

    /** It would wait until the other is on the disk, only to be refused. */
    @Test
    @Tag("L7")
    void aRequestDoesNotWaitForAnotherThatIsTakingTheLock() throws SQLException {
        open("read committed");
        backend.release(KEY, take().lockId());
        execute("SELECT pg_advisory_xact_lock(hashtextextended('" + KEY.value() + "', '" + table
                + "'::regclass::oid::bigint))");

        assertThat(backend.acquire(request(LockId.random()))).isInstanceOf(Acquisition.Contended.class);
        other.commit();
        assertThat(backend.acquire(request(LockId.random()))).isInstanceOf(Granted.class);
    }

    @ParameterizedTest
    @Tag("G6")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void aReleaseThatRacesAnExtensionEndsTheLease(String level) throws Exception {
        open(level);
        LockId id = take().lockId();
        execute("UPDATE " + table + " SET expires_at = expires_at + interval '1 minute'");
        FutureTask<Boolean> release = start(() -> backend.release(KEY, id));
        awaitWaiter();
        other.commit();

        assertThat(release.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(backend.isLocked(KEY)).isFalse();
    }

    @ParameterizedTest
    @Tag("G6")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void aSuccessionThatRacesAnExtensionEndsTheLeaseAndGrantsTheLock(String level) throws Exception {
        open(level);
        LockId id = take().lockId();
        execute("UPDATE " + table + " SET expires_at = expires_at + interval '1 minute'");
        Succession succession = backend.ability(Succession.class).orElseThrow();
        FutureTask<Succession.Turnover> turnover = start(() -> succession.succeed(id, request(LockId.random()), false));
        awaitWaiter();
        other.commit();

        assertThat(turnover.get(30, TimeUnit.SECONDS).released()).isTrue();
        assertThat(turnover.get().outcome()).isInstanceOf(Granted.class);
    }

    @ParameterizedTest
    @Tag("G6")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void anExtensionThatRacesALongerOneKeepsTheLongerEnd(String level) throws Exception {
        open(level);
        LockId id = take().lockId();
        execute("UPDATE " + table + " SET expires_at = expires_at + interval '1 hour'");
        FutureTask<Instant> shorter = start(() -> backend.extend(KEY, id, LONG).orElseThrow());
        awaitWaiter();
        other.commit();

        assertThat(shorter.get(30, TimeUnit.SECONDS)).isAfter(clock().plus(Duration.ofMinutes(30)));
        assertThat(backend.lookup(KEY).orElseThrow().raw().expiresAt()).isEqualTo(shorter.get());
    }

    @ParameterizedTest
    @Tag("R12")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void aForcedReleaseThatRacesTheHoldersOwnEndsNothing(String level) throws Exception {
        open(level);
        take();
        execute("UPDATE " + table + " SET lock_id = NULL");
        LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
        FutureTask<Optional<LockRecord>> forced = start(() -> catalog.forceRelease(KEY, Holder.of("operator")));
        awaitWaiter();
        other.commit();

        assertThat(forced.get(30, TimeUnit.SECONDS)).isEmpty();
        assertThat(new Sql("SELECT act FROM " + table + "_audit").all(other, row -> row.getString(1)))
                .isEmpty();
    }

    /** As an operator may write it who wants a lock to stay taken. */
    @Test
    @Tag("G10")
    void aLeaseThatWasMadeEndlessByHandIsShownAndRefused() throws SQLException {
        open("read committed");
        take();
        execute("UPDATE " + table + " SET expires_at = 'infinity'");
        other.commit();

        assertThat(backend.acquire(request(LockId.random())))
                .isInstanceOfSatisfying(
                        Acquisition.Contended.class,
                        contended -> assertThat(contended.remaining()).isEqualTo(LockOptions.MAX_TTL));
        assertThat(backend.lookup(KEY).orElseThrow().remaining()).isEqualTo(LockOptions.MAX_TTL);
    }

    private void open(String level) {
        pool.setJdbcUrl(server.jdbcUrl("postgres") + "&ApplicationName=" + schema);
        pool.setConnectionInitSql("SET default_transaction_isolation = '" + level + "'");
        pool.setMinimumIdle(0);
        backend = JdbcLockBackend.on(pool, JdbcOptions.defaults().withTable(table));
    }

    private Grant take() {
        return ((Granted) backend.acquire(request(LockId.random()))).grant();
    }

    private static AcquireRequest request(LockId id) {
        return AcquireRequest.of(KEY, id, LONG, Holder.of("me"));
    }

    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        new Thread(task).start();
        return task;
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Waits until a statement of the backend's waits for a lock. */
    private void awaitWaiter() {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    try (Connection observer = TestServer.dataSource(server).getConnection();
                            Statement statement = observer.createStatement();
                            ResultSet row =
                                    statement.executeQuery("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                            + " AND application_name = '" + schema + "'")) {
                        return row.next();
                    }
                });
    }

    private Instant clock() throws SQLException {
        try (Connection observer = TestServer.dataSource(server).getConnection();
                Statement statement = observer.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        }
    }
}
