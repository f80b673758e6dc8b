package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Backends;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks behind a pooler that shares connections between transactions. */
@Timeout(180)
class PostgresPoolerTest {

    private static final int PROCESSES = 3;
    private static final int TURNS = 10;

    @TempDir
    Path folder;

    /** What was left on a shared connection would have every release notify, and every succession yield, until the pooler closes it. */
    @ParameterizedTest
    @Tag("L7")
    @ValueSource(strings = {"", "&signals=off"})
    void processesTakeTurnsAndLeaveNothingOnTheSharedConnections(String signals) throws Exception {
        try (PostgresServer server = PostgresServer.start(Map.of());
                PgBouncer pooler = PgBouncer.before(server.port(), folder)) {
            String uri = "postgresql://postgres@127.0.0.1:" + pooler.port() + "/postgres?prepareThreshold=0" + signals;
            List<LockBackend> backends = new ArrayList<>();
            List<FutureTask<Void>> processes = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                LockBackend backend = Backends.open(uri);
                backends.add(backend);
                processes.add(start(backend));
            }
            for (FutureTask<Void> process : processes) {
                process.get(120, TimeUnit.SECONDS);
            }

            assertThat(ask(server, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                    .isEqualTo("0");
            backends.forEach(LockBackend::close);
            assertThat(ask(server, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void signalsAreSwitchedOffByTheUri() {
        PostgresServer server = TestServer.shared();
        try (LockBackend backend = Backends.open(server.uri() + "&signals=off")) {
            assertThat(backend.ability(ReleaseSignals.class)).isEmpty();
        }
        try (LockBackend backend = Backends.open(server.uri() + "&signals=on")) {
            assertThat(backend.ability(ReleaseSignals.class)).isPresent();
        }
    }

    private static FutureTask<Void> start(LockBackend backend) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            try (Locks locks = Locks.over(backend)) {
                for (int i = 0; i < TURNS; i++) {
                    try (Lease lease =
                            locks.acquire("hot", LockOptions.defaults().withMaxWait(Duration.ofMinutes(2)))) {
                        lease.ensureHeld();
                        TimeUnit.MILLISECONDS.sleep(5); // so that the others wait
                    }
                }
            }
            return null;
        });
        new Thread(task).start();
        return task;
    }

    private static String ask(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
