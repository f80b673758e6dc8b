package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A switchover behind one address: connections that exist lead to a server that is read-only, new ones to one that is not. Both are
 * the same server here, with a setting for all sessions and another for new sessions of a role.
 */
@Timeout(120)
class PostgresSwitchoverTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
        server.execute("postgres", "CREATE ROLE app LOGIN SUPERUSER PASSWORD 'secret'");
        try (LockBackend backend = Backends.open(uri())) {
            assertGrants(backend);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void switchBack() {
        server.execute("postgres", "ALTER SYSTEM RESET default_transaction_read_only");
        server.execute("postgres", "SELECT pg_reload_conf()");
        await().ignoreExceptions().until(() -> {
            server.execute("postgres", "ALTER ROLE app RESET default_transaction_read_only");
            return true;
        });
    }

    @Test
    @Tag("G10")
    void aStoreThatWasOpenedByUriFindsTheNewPrimary() {
        try (LockBackend backend = Backends.open(uri())) {
            assertGrants(backend);

            switchOver(backend);

            assertGrants(backend);
        }
    }

    @Test
    @Tag("G10")
    void aPoolOfTheCallersGivesUpTheConnectionsToTheOldPrimaryOneByOne() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=app&password=secret");
            pool.setMaximumPoolSize(3);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            await().until(() -> pool.getHikariPoolMXBean() == null
                    ? backend.lookup(KEY).isPresent()
                    : pool.getHikariPoolMXBean().getIdleConnections() == 3);

            switchOver(backend);

            int failures = 0;
            while (failures < 3 && !grants(backend)) {
                failures++;
            }
            assertThat(failures).as("as many as there were connections left").isLessThan(3);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    /** At SERIALIZABLE a standby refuses statements with another error than at the other levels, also those that only read. */
    @ParameterizedTest
    @ValueSource(strings = {"read committed", "serializable"})
    @Tag("G10")
    void aStandbyIsAnOutageAtEachIsolationLevel(String level) {
        try (PostgresServer standby = server.startStandby();
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(standby.jdbcUrl("postgres"));
            pool.setConnectionInitSql("SET default_transaction_isolation = '" + level + "'");
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());

            for (int i = 0; i < 2; i++) {
                assertThat(catchThrowableOfType(BackendException.class, () -> assertGrants(backend)))
                        .returns(ErrorCode.SERVICE_UNAVAILABLE, BackendException::code)
                        .hasMessageContaining("targetServerType=primary");
            }
        }
    }

    private static void switchOver(LockBackend backend) {
        server.execute("postgres", "ALTER ROLE app SET default_transaction_read_only = off");
        server.execute("postgres", "ALTER SYSTEM SET default_transaction_read_only = on");
        server.execute("postgres", "SELECT pg_reload_conf()");
        // A session reads its settings anew a little later.
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            BackendException failure = catchThrowableOfType(BackendException.class, () -> assertGrants(backend));
            if (failure != null) {
                assertThat(failure).hasMessageContaining("read-only");
                assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
                assertThat(failure.effect()).isEqualTo(Effect.NONE);
            }
            return failure != null;
        });
    }

    private static boolean grants(LockBackend backend) {
        try {
            assertGrants(backend);
            return true;
        } catch (BackendException readOnly) {
            return false;
        }
    }

    /** Each time another key: the switchover can come between a grant and its release. */
    private static void assertGrants(LockBackend backend) {
        LockId id = LockId.random();
        LockKey key = LockKey.of("invoice:" + id);
        assertThat(backend.acquire(AcquireRequest.of(key, id, Duration.ofMinutes(1), Holder.of("me"))))
                .isInstanceOf(Granted.class);
        assertThat(backend.release(key, id)).isTrue();
    }

    private static String uri() {
        return "postgresql://app:secret@127.0.0.1:" + server.port() + "/postgres";
    }
}
