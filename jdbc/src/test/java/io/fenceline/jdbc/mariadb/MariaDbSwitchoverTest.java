package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
import io.fenceline.servers.MariaDbServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A switchover behind one address: connections that exist lead to a server that is read-only, new ones to one that is not. Both are
 * the same server here, whose privileges hold for connections that are made after they were granted.
 */
@Timeout(120)
class MariaDbSwitchoverTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private final MariaDbServer server = TestServer.shared();
    private final String database = TestServer.borrowDatabase();

    @BeforeEach
    void makeUser() {
        server.execute("", "CREATE OR REPLACE USER dora@'%' IDENTIFIED BY 'secret'");
        server.execute("", "GRANT SELECT, INSERT, UPDATE, EXECUTE ON " + database + ".* TO dora@'%'");
    }

    @AfterEach
    void switchBack() {
        server.execute("", "SET GLOBAL read_only = OFF");
        server.execute("", "DROP USER dora@'%'");
        TestServer.giveBack(database);
    }

    @Test
    @Tag("G10")
    void aStoreThatWasOpenedByUriFindsTheNewPrimary() {
        try (LockBackend backend = Backends.open("mariadb://dora:secret@127.0.0.1:" + server.port() + "/" + database)) {
            assertGrants(backend);

            switchOver();

            assertFails(backend);
            assertGrants(backend);
        }
    }

    @Test
    @Tag("G10")
    void aPoolOfTheCallersGivesUpTheConnectionToTheOldPrimary() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(
                    "jdbc:mariadb://127.0.0.1:" + server.port() + "/" + database + "?user=dora&password=secret");
            pool.setMaximumPoolSize(1);
            LockBackend backend = JdbcLockBackend.on(pool, JdbcOptions.defaults());
            assertGrants(backend);

            switchOver();

            assertFails(backend);
            assertGrants(backend);
        }
    }

    private void switchOver() {
        server.execute("", "GRANT READ_ONLY ADMIN ON *.* TO dora@'%'");
        server.execute("", "SET GLOBAL read_only = ON");
    }

    private static void assertFails(LockBackend backend) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> assertGrants(backend));
        assertThat(failure).hasMessageContaining("read-only");
        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
    }

    private static void assertGrants(LockBackend backend) {
        LockId id = LockId.random();
        assertThat(backend.acquire(AcquireRequest.of(KEY, id, Duration.ofMinutes(1), Holder.of("me"))))
                .isInstanceOf(Granted.class);
        assertThat(backend.release(KEY, id)).isTrue();
    }
}
