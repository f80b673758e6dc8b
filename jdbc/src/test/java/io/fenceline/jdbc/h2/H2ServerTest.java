package io.fenceline.jdbc.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.ErrorCode;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** H2 in server mode: what a silent server and one that was restarted cost. */
@Timeout(60)
class H2ServerTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withMaxWait(Duration.ofSeconds(1));

    @TempDir
    private Path folder;

    private Server server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws SQLException {
        server = started(0);
        proxy = FaultProxy.to("127.0.0.1", server.getPort());
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.stop();
    }

    private Server started(int port) throws SQLException {
        return Server.createTcpServer("-tcpPort", Integer.toString(port), "-ifNotExists", "-baseDir", folder.toString())
                .start();
    }

    private LockBackend open(int port, String settings) {
        return Backends.open("h2:tcp://127.0.0.1:" + port + "/./store" + settings + "?user=sa");
    }

    @Test
    void aServerIsWaitedForWithALimitThatAUriMayName() {
        assertThat(jdbcUrl("h2:tcp://host/store")).endsWith(";NETWORK_TIMEOUT=10000");
        assertThat(jdbcUrl("h2:ssl://host/store;network_timeout=3000")).doesNotContain("10000");
        assertThat(jdbcUrl("h2:store")).doesNotContain("NETWORK_TIMEOUT");
    }

    private static String jdbcUrl(String uri) {
        return H2Uri.parse(uri).jdbcUrl();
    }

    @Test
    void aGuardIsToldThatTheServerIsGoneAsADriverTellsIt() throws SQLException {
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/./guarded";
        Connection connection = DriverManager.getConnection(url, "sa", "");
        connection.setAutoCommit(false);
        server.stop();

        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> new H2().isInTransaction(connection));
    }

    @Test
    void aSilentServerKeepsNobodyForEver() throws Exception {
        try (LockBackend backend = open(proxy.port(), ";NETWORK_TIMEOUT=1500");
                Locks locks = Locks.over(backend)) {
            locks.acquire("invoice:42", OPTIONS).close();
            proxy.stall();
            long began = System.nanoTime();

            BackendException failure = catchThrowableOfType(
                    BackendException.class,
                    () -> locks.acquire("invoice:42", OPTIONS).close());

            assertThat(failure).isNotNull();
            assertThat(failure.code().isTransient()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
            proxy.heal();
            awaitGrant(locks);
        }
    }

    /** Whoever asks often, as several leases and waiters do together, must not be lent the broken connections again and again. */
    @Test
    void connectionsToAServerThatWasRestartedAreNotLentAgain() throws Exception {
        int port = server.getPort();
        try (LockBackend backend = open(port, "");
                Locks locks = Locks.over(backend)) {
            locks.acquire("invoice:42", OPTIONS).close();
            server.stop();
            server = started(port);

            awaitGrant(locks);
        }
    }

    @Test
    void whoeverWaitsForAServerThatIsAwayIsToldWhy() throws Exception {
        try (LockBackend backend = open(server.getPort(), "");
                Locks locks = Locks.over(backend)) {
            locks.acquire("invoice:42", OPTIONS).close();
            server.stop();

            assertThatThrownBy(() -> locks.tryAcquire("invoice:42", OPTIONS)); // on a connection that broke
            assertThatThrownBy(() -> locks.tryAcquire("invoice:42", OPTIONS))
                    .hasStackTraceContaining("Connection refused");
        }
    }

    private static void awaitGrant(Locks locks) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
        BackendException last = null;
        while (System.nanoTime() - until < 0) {
            try {
                locks.tryAcquire("invoice:42", OPTIONS).orElseThrow().close();
                return;
            } catch (BackendException e) {
                assertThat(e.code()).isNotEqualTo(ErrorCode.INTERNAL);
                last = e;
            }
        }
        throw new AssertionError("no grant within 15 s", last);
    }
}
