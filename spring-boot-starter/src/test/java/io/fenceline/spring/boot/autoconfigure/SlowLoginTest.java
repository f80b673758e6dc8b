package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.fenceline.BackendException;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.testkit.net.FaultProxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database whose logins take longer than a renewal waits for a connection. */
@Timeout(120)
class SlowLoginTest {

    private static final Duration WAIT = Duration.ofSeconds(4);

    /** Of each answer: a login has two of them. */
    private static final Duration DELAY = Duration.ofMillis(2_200);

    @Test
    void isWaitedForAtTheStart() throws Exception {
        try (PostgresServer server = PostgresServer.start(Map.of());
                FaultProxy network = FaultProxy.to("127.0.0.1", server.port());
                HikariDataSource application = new HikariDataSource()) {
            application.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + network.port() + "/postgres?user=postgres");
            network.toClient().delay(DELAY);

            LockPool pool = LockPool.of(application, new FencelineProperties.Pool(2, WAIT));

            try (JdbcLockBackend backend =
                    JdbcLockBackend.on(pool.source(), JdbcOptions.defaults().withoutSignals())) {
                assertThat(((HikariDataSource) pool.source()).getConnectionTimeout())
                        .isEqualTo(WAIT.toMillis());
                assertThat(backend.ability(SchemaControl.class)).isPresent();
            } finally {
                pool.close();
            }
        }
    }

    @Test
    void hasALimit() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                HikariDataSource application = new HikariDataSource()) {
            application.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/postgres?user=postgres");
            application.setConnectionTimeout(1_000);

            LockPool pool = LockPool.of(application, new FencelineProperties.Pool(2, Duration.ofMillis(250)));

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> JdbcLockBackend.on(pool.source(), JdbcOptions.defaults()));
            pool.close();
        }
    }

    /** As where the database is lost while the application ends. */
    @Test
    void isNotWaitedForAtTheEnd() {
        try (PostgresServer server = PostgresServer.start(Map.of());
                FaultProxy network = FaultProxy.to("127.0.0.1", server.port());
                HikariDataSource application = new HikariDataSource()) {
            application.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + network.port() + "/postgres?user=postgres");
            application.setConnectionTimeout(Duration.ofMinutes(10).toMillis());
            LockPool pool = LockPool.of(application, new FencelineProperties.Pool(1, WAIT));
            HikariPoolMXBean connections = ((HikariDataSource) pool.source()).getHikariPoolMXBean();
            await().until(() -> connections.getIdleConnections() == 1);
            network.stall();
            connections.softEvictConnections();
            await().until(() ->
                    connections.getTotalConnections() == 0 && network.openConnections() == 2); // the second is a login

            pool.close();

            assertThat(network.openConnections()).isEqualTo(2);
        }
    }
}
