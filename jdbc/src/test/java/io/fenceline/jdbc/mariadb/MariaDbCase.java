package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A database on the shared server, and backends on it. */
@Timeout(120)
abstract class MariaDbCase {

    static final LockKey KEY = LockKey.of("invoice:42");

    final MariaDbServer server = TestServer.shared();
    final String database = TestServer.borrowDatabase();
    final DataSource source = TestServer.dataSource(server, database);

    @AfterEach
    void giveBack() {
        TestServer.giveBack(database);
    }

    static Finding finding(LockBackend backend, String subject) {
        return backend.ability(SelfDiagnosis.class).orElseThrow().diagnose().stream()
                .filter(found -> found.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    static LockBackend on(DataSource given) {
        return on(given, Duration.ofSeconds(10));
    }

    static LockBackend on(DataSource given, Duration answerLimit) {
        return JdbcLockBackend.on(given, JdbcOptions.defaults().withAnswerLimit(answerLimit));
    }

    static AcquireRequest request() {
        return AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
    }

    static Granted grant(LockBackend backend) {
        Acquisition answer = backend.acquire(request());
        assertThat(answer).isInstanceOf(Granted.class);
        return (Granted) answer;
    }

    static void assertGrants(LockBackend backend) {
        LockId id = grant(backend).grant().lockId();
        assertThat(backend.release(KEY, id)).isTrue();
    }

    static void assertFails(LockBackend backend, ErrorCode code, Effect effect, String remedy) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> backend.acquire(request()));
        assertThat(failure).hasMessageContaining(remedy);
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.effect()).isEqualTo(effect);
    }
}
