package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.jdbc.outbox.Outbox;
import io.fenceline.jdbc.outbox.OutboxOptions;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.servers.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** The tables of guards and outboxes on PostgreSQL, installed by several processes at once and by roles without the right to. */
@Timeout(60)
class InstallTest {

    private static final int PROCESSES = 4;
    private static final int ROUNDS = 5;

    private final PostgresServer server = TestServer.shared();
    private final PGSimpleDataSource source = TestServer.dataSource(server);
    private String schema = "";

    @BeforeEach
    void create() {
        schema = TestServer.newSchema(server);
        source.setCurrentSchema(schema);
    }

    @AfterEach
    void remove() {
        server.execute("postgres", "DROP SCHEMA " + schema + " CASCADE");
    }

    @Test
    void severalProcessesInstallAtOnce() throws Exception {
        ExecutorService processes = Executors.newFixedThreadPool(PROCESSES);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                CyclicBarrier start = new CyclicBarrier(PROCESSES);
                List<Future<?>> installs = new ArrayList<>();
                for (int i = 0; i < PROCESSES; i++) {
                    installs.add(processes.submit(() -> {
                        start.await();
                        install();
                        return null;
                    }));
                }
                for (Future<?> install : installs) {
                    install.get(30, TimeUnit.SECONDS);
                }
                assertThat(JdbcFenceGuard.on(source).schema().schemaProblems()).isEmpty();
                remove();
                create();
            }
        } finally {
            processes.shutdownNow();
        }
    }

    @Test
    void aRoleThatMayNotCreateInstallsWhatIsThere() {
        install();
        server.execute(
                "postgres",
                "CREATE ROLE writer LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA " + schema
                        + " TO writer; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA " + schema + " TO writer");
        try {
            source.setUser("writer");
            source.setPassword("secret");
            install();
        } finally {
            server.execute("postgres", "DROP OWNED BY writer; DROP ROLE writer");
        }
    }

    private void install() {
        JdbcFenceGuard.on(source).schema().installSchema();
        Outbox.on(source, OutboxOptions.named("mails")).installSchema();
    }
}
