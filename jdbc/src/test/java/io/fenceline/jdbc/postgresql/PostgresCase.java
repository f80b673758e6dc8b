package io.fenceline.jdbc.postgresql;

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
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A schema with the tables of locks on the shared server, and backends on it. */
@Timeout(120)
abstract class PostgresCase {

    static final LockKey KEY = LockKey.of("invoice:42");

    final PostgresServer server = TestServer.shared();
    final String schema = TestServer.newSchema(server);
    final String table = schema + ".fenceline_lock";
    final PGSimpleDataSource source = TestServer.dataSource(server);

    @BeforeEach
    void install() {
        try (LockBackend backend = on(source)) {
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
        }
    }

    @AfterEach
    void remove() {
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    LockBackend on(DataSource given) {
        return on(given, Duration.ofSeconds(5));
    }

    LockBackend on(DataSource given, Duration answerLimit) {
        return JdbcLockBackend.on(given, JdbcOptions.defaults().withTable(table).withAnswerLimit(answerLimit));
    }

    PGSimpleDataSource as(String user, String password) {
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres");
        other.setUser(user);
        other.setPassword(password);
        return other;
    }

    static AcquireRequest request(LockKey key) {
        return AcquireRequest.of(key, LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
    }

    static Granted grant(LockBackend backend) {
        Acquisition answer = backend.acquire(request(KEY));
        assertThat(answer).isInstanceOf(Granted.class);
        return (Granted) answer;
    }

    static void assertGrants(LockBackend backend) {
        LockId id = grant(backend).grant().lockId();
        assertThat(backend.release(KEY, id)).isTrue();
    }

    static void assertFails(LockBackend backend, ErrorCode code, Effect effect, String remedy) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> backend.acquire(request(KEY)));
        assertThat(failure).hasMessageContaining(remedy);
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.effect()).isEqualTo(effect);
    }
}
