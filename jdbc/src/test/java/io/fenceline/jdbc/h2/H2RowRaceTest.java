package io.fenceline.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operations on a lease do that had to wait for its row. */
@Timeout(60)
class H2RowRaceTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    @ParameterizedTest
    @Tag("G6")
    @ValueSource(
            strings = {
                "TRANSACTION_READ_UNCOMMITTED",
                "TRANSACTION_READ_COMMITTED",
                "TRANSACTION_REPEATABLE_READ",
                "TRANSACTION_SERIALIZABLE"
            })
    void aReleaseThatRacesAnExtensionEndsTheLease(String level) throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=30000";
        try (Connection other = DriverManager.getConnection(url);
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(url);
            pool.setTransactionIsolation(level);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
            LockId id = LockId.random();
            assertThat(backend.acquire(AcquireRequest.of(KEY, id, Duration.ofMinutes(5), Holder.of("me"))))
                    .isInstanceOf(Granted.class);
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("UPDATE fenceline_lock SET expires_at = expires_at + 60000");
            }
            FutureTask<Boolean> release = new FutureTask<>(() -> backend.release(KEY, id));
            new Thread(release).start();
            await().pollInterval(Duration.ofMillis(5)).until(() -> isBlocked(url));
            other.commit();

            assertThat(release.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(backend.isLocked(KEY)).isFalse();
        }
    }

    @ParameterizedTest
    @Tag("G6")
    @ValueSource(strings = {"release", "releaseAfter", "extend"})
    void whatWaitsForTheRowUntilTheLeaseIsOverDoesNothing(String operation) throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=30000";
        try (Connection other = DriverManager.getConnection(url);
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(url);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
            LockId id = LockId.random();
            backend.acquire(AcquireRequest.of(KEY, id, Duration.ofSeconds(2), Holder.of("me")));
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("SELECT * FROM fenceline_lock FOR UPDATE");
            }
            FutureTask<Boolean> done = new FutureTask<>(() -> switch (operation) {
                case "release" -> backend.release(KEY, id);
                case "releaseAfter" -> backend.releaseAfter(KEY, id, Duration.ofMinutes(1));
                default -> backend.extend(KEY, id, Duration.ofMinutes(1)).isPresent();
            });
            new Thread(done).start();
            await().pollInterval(Duration.ofMillis(5)).until(() -> isBlocked(url) && !backend.isLocked(KEY));
            other.rollback();

            assertThat(done.get(30, TimeUnit.SECONDS)).isFalse();
            assertThat(backend.isLocked(KEY)).isFalse();
        }
    }

    @ParameterizedTest
    @Tag("R12")
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void whoRaisesTheTokenOfAKeyThatIsJustBeingMadeRaisesIt(String level) throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=30000";
        try (Connection other = DriverManager.getConnection(url);
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(url);
            pool.setTransactionIsolation(level);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute(
                        "INSERT INTO fenceline_lock VALUES (STRINGTOUTF8('invoice:42'), 1, 1, 1, NULL, 'other', 0, 0)");
            }
            FutureTask<FencingToken> raise = new FutureTask<>(() -> backend.ability(LockCatalog.class)
                    .orElseThrow()
                    .raiseToken(KEY, FencingToken.of(7), Holder.of("operator")));
            new Thread(raise).start();
            await().pollInterval(Duration.ofMillis(5)).until(() -> isAny(url, "executing_statement LIKE 'MERGE%'"));
            other.commit();

            assertThat(raise.get(30, TimeUnit.SECONDS)).isEqualTo(FencingToken.of(7));
        }
    }

    private static boolean isBlocked(String url) throws SQLException {
        return isAny(url, "blocker_id IS NOT NULL");
    }

    private static boolean isAny(String url, String condition) throws SQLException {
        try (Connection observer = DriverManager.getConnection(url);
                Statement statement = observer.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM information_schema.sessions WHERE " + condition)) {
            row.next();
            return row.getInt(1) > 0;
        }
    }
}
