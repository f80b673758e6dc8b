package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.http.FencedRequests;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** A whole application on PostgreSQL: annotations, a stale commit, health, endpoint, meters, elections. */
class OrdersApplicationTest {

    private static PostgresServer server;
    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
        application = OrdersApplication.start(
                WebApplicationType.SERVLET,
                "--spring.application.name=shop",
                "--spring.datasource.url=" + server.jdbcUrl("postgres"),
                "--fenceline.jdbc.initialize-schema=always",
                "--fenceline.elections.billing.claims=bookings",
                "--fenceline.telemetry.keys=plain",
                "--fenceline.http.paths=/fenced",
                "--management.endpoints.web.exposure.include=*",
                "--management.health.redis.enabled=false",
                "--management.endpoint.health.probes.enabled=true",
                "--management.endpoint.health.show-details=always",
                "--management.endpoint.fenceline.access=unrestricted");
    }

    @AfterAll
    static void stop() {
        application.close();
        server.close();
    }

    @Test
    void anAnnotatedMethodRunsUnderItsLock() {
        Orders orders = application.getBean(Orders.class);

        String token = orders.pay(1);

        assertThat(orders.paid(1)).isOne();
        assertThat(application
                        .getBean(LockBackend.class)
                        .ability(LockCatalog.class)
                        .orElseThrow()
                        .lastToken(LockKey.of("order:1"))
                        .map(last -> last.text()))
                .contains(token);
    }

    @Test
    void aStaleHolderDoesNotCommit() throws Exception {
        Orders orders = application.getBean(Orders.class);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService node = Executors.newSingleThreadExecutor();
        Future<?> stale = node.submit(() -> {
            orders.paySlowly(2, begun, end);
            return null;
        });
        begun.await();

        application
                .getBean(LockBackend.class)
                .ability(LockCatalog.class)
                .orElseThrow()
                .forceRelease(LockKey.of("order:2"), Holder.of("operator"));
        claim(application);
        end.countDown();

        assertThatThrownBy(stale::get).hasRootCauseInstanceOf(StaleTokenException.class);
        assertThat(orders.paid(2)).isZero();
        node.shutdown();
    }

    /** Another node's holder: it claims the order before it works. */
    private static void claim(ConfigurableApplicationContext application) {
        try (Locks another = Locks.over(application.getBean(LockBackend.class));
                Lease lease = another.tryAcquire("order:2").orElseThrow()) {
            application.getBean(JdbcFenceGuard.class).claim("order:2", lease.stamp());
        }
    }

    @Test
    void theLeaderRunsWhatOnlyTheLeaderRuns() {
        Orders orders = application.getBean(Orders.class);

        await().until(() -> orders.term().isPresent());

        assertThat(application.getBean(OrdersApplication.class).elected).hasSize(1);
        assertThat(get("/actuator/fenceline").body())
                .contains("\"billing\":{")
                .contains("\"term\":\"" + orders.term().orElseThrow() + "\"");
    }

    @Test
    void healthAsksTheStoreAndIsNotInReadiness() {
        assertThat(get("/actuator/health").body()).contains("\"fenceline\":{\"").contains("roundTripMillis");
        assertThat(get("/actuator/health/readiness").body()).contains("UP").doesNotContain("fenceline");
    }

    @Test
    void theEndpointListsShowsAndReleases() throws Exception {
        application.getBean(Locks.class).run("list/me", lease -> {
            assertThat(get("/actuator/fenceline?prefix=list").body())
                    .contains(
                            "\"key\":\"list/me\"",
                            "\"holder\":\"shop@",
                            lease.token().text());
            assertThat(get("/actuator/fenceline/list/me").body())
                    .contains(lease.token().text());
        });
        assertThat(get("/actuator/fenceline/list/me").statusCode()).isEqualTo(404);

        assertThat(get("/actuator/fenceline/" + "x".repeat(600)).statusCode()).isEqualTo(400);

        Optional<Lease> held = application.getBean(Locks.class).tryAcquire("release me");
        HttpResponse<String> released = send(HttpRequest.newBuilder().DELETE(), "/actuator/fenceline/release%20me");
        assertThat(released.statusCode()).isEqualTo(200);
        assertThat(released.body()).contains(held.orElseThrow().token().text());
        assertThat(application.getBean(Locks.class).lookup("release me")).isEmpty();
    }

    @Test
    void aPathOfWhichSpringLeavesOutAPartEndsNoOtherLock() throws Exception {
        Locks locks = application.getBean(Locks.class);
        try (Lease shorter = locks.acquire("left/out");
                Lease longer = locks.acquire("left;out")) {
            for (String path :
                    List.of("left/out;v2", "left;x/out", "left//out", "/left/out", ";/left/out", "left/out/")) {
                assertThat(send(HttpRequest.newBuilder().DELETE(), "/actuator/fenceline/" + path)
                                .statusCode())
                        .isEqualTo(400);
                assertThat(get("/actuator/fenceline/" + path).statusCode()).isEqualTo(400);
            }
            assertThat(locks.lookup("left/out")).isPresent();
            assertThat(get("/actuator/fenceline/left%3Bout").body())
                    .contains(longer.token().text());
            assertThat(shorter.isHeld()).isTrue();
        }
    }

    @Test
    void aPrefixThatNoKeyCanHaveIsAMistakeOfTheRequest() {
        assertThat(get("/actuator/fenceline?prefix=%00").statusCode()).isEqualTo(400);
        assertThat(get("/actuator/fenceline?prefix=").statusCode()).isEqualTo(200);
    }

    @Test
    void requestsOfFencedPathsNeedAStamp() {
        assertThat(send(HttpRequest.newBuilder().DELETE(), "/fenced/1").statusCode())
                .isEqualTo(428);
        assertThat(send(HttpRequest.newBuilder().DELETE(), "/open/1").statusCode())
                .isEqualTo(404);
    }

    @Test
    void aRefusalOfAnAsynchronousHandlerIsAnswered() {
        FenceStamp stale = new FenceStamp(LockKey.of("order"), FencingToken.of(98));
        HttpRequest.Builder request = HttpRequest.newBuilder().PUT(HttpRequest.BodyPublishers.noBody());

        assertThat(send(FencedRequests.stamp(request, stale), "/fenced/slow").statusCode())
                .isEqualTo(412);
    }

    @Test
    void locksAreMetered() {
        application.getBean(Orders.class).pay(3);

        assertThat(application
                        .getBean(MeterRegistry.class)
                        .get("fenceline.acquire")
                        .timers())
                .isNotEmpty();
        assertThat(get("/actuator/metrics").body()).contains("fenceline.");
    }

    private static HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder().GET(), path);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request, String path) {
        String port = application.getEnvironment().getProperty("local.server.port");
        try {
            return HttpClient.newHttpClient()
                    .send(
                            request.uri(URI.create("http://127.0.0.1:" + port + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
        } catch (Exception e) {
            throw new IllegalStateException(path, e);
        }
    }
}
