package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.servers.PostgresServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application's pool is exhausted for twice the ttl. */
class BusyPoolTest {

    private static final Duration TTL = Duration.ofSeconds(2);

    private static PostgresServer server;

    @AutoConfigured
    static class Application {}

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void noLeaseIsLostWhileTheApplicationHasNoConnectionLeft() throws Exception {
        assertThat(isLost("--fenceline.jdbc.pool.size=2")).isFalse();
    }

    /** Else the test above would prove nothing. */
    @Test
    void aLeaseIsLostIfItSharesThatPool() throws Exception {
        assertThat(isLost("--fenceline.jdbc.pool.size=0")).isTrue();
    }

    /** What listens for releases while somebody waits would keep it. */
    @Test
    void noLeaseIsLostIfLocksHaveOneConnection() throws Exception {
        try (ConfigurableApplicationContext application = start("--fenceline.jdbc.pool.size=1");
                Locks others = Locks.open(server.uri())) {
            Locks locks = application.getBean(Locks.class);
            Lease theirs = others.acquire("theirs");
            Lease ours = locks.acquire("ours");
            CompletableFuture<Lease> next = locks.acquireAsync("theirs");

            assertThat(isLostWithin(ours, TTL.plusSeconds(1))).isFalse();
            theirs.close();
            next.get(10, TimeUnit.SECONDS).close();
        }
    }

    private static ConfigurableApplicationContext start(String property) {
        return SpringApplication.run(
                Application.class,
                "--spring.main.web-application-type=none",
                "--spring.datasource.url=" + server.jdbcUrl("postgres"),
                "--spring.datasource.hikari.maximum-pool-size=2",
                "--fenceline.jdbc.initialize-schema=always",
                "--fenceline.ttl=" + TTL.toMillis() + "ms",
                property);
    }

    private static boolean isLost(String property) throws Exception {
        try (ConfigurableApplicationContext application = start(property)) {
            DataSource pool = application.getBean(DataSource.class);
            Lease lease = application.getBean(Locks.class).acquire("held");
            try (Connection first = pool.getConnection();
                    Connection second = pool.getConnection()) {
                assertThat(first).isNotSameAs(second);
                return isLostWithin(lease, TTL.multipliedBy(2));
            } finally {
                lease.close();
            }
        }
    }

    private static boolean isLostWithin(Lease lease, Duration limit) throws InterruptedException {
        CountDownLatch lost = new CountDownLatch(1);
        lease.lost().thenRun(lost::countDown);
        return lost.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}
