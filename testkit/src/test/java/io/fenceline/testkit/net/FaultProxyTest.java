package io.fenceline.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultProxyTest {

    private EchoServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        proxy = FaultProxy.to("127.0.0.1", server.port());
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    @Test
    void passesBytesBothWaysOnManyConnections() throws Exception {
        try (Wire one = Wire.opened(proxy);
                Wire two = Wire.opened(proxy)) {
            assertThat(one.ask("1")).isEqualTo("1");
            assertThat(two.ask("2")).isEqualTo("2");
            assertThat(proxy.openConnections()).isEqualTo(2);
        }
        await().until(() -> proxy.openConnections() == 0);
    }

    @Test
    void passesMoreThanAnyBufferHolds() throws Exception {
        String line = "x".repeat(3_000_000);
        try (Wire wire = Wire.opened(proxy)) {
            FutureTask<Void> sending = new FutureTask<>(() -> {
                wire.send(line);
                return null;
            });
            new Thread(sending).start();
            assertThat(wire.line()).isEqualTo(line);
            sending.get();
        }
    }

    @Test
    void passesTheEndOfAStream() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            wire.endOutput();
            wire.assertEnded();
        }
        assertThat(server.heard()).isEqualTo("hello");
        assertThat(server.heard()).isEqualTo(EchoServer.END);
    }

    @Test
    void resetsTheClientIfTheServerIsAway() throws Exception {
        server.close();
        try (Wire wire = Wire.connect(proxy)) {
            wire.assertReset();
        }
    }

    @Test
    void cutsEveryConnectionAndLetsNewOnesIn() throws Exception {
        try (Wire one = Wire.opened(proxy);
                Wire two = Wire.opened(proxy)) {
            server.heard();
            server.heard();

            proxy.cut();

            one.assertReset();
            two.assertReset();
            assertThat(server.heard()).isEqualTo(EchoServer.RESET);
            assertThat(server.heard()).isEqualTo(EchoServer.RESET);
            assertThat(proxy.openConnections()).isZero();
        }
        Wire.opened(proxy).close();
    }

    @Test
    void endsEveryConnectionInOrder() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();

            proxy.end();

            wire.assertEnded();
            assertThat(server.heard()).isEqualTo(EchoServer.END);
        }
        await().until(() -> proxy.openConnections() == 0);
        Wire.opened(proxy).close();
    }

    @Test
    void refusesNewConnectionsAndKeepsOpenOnes() throws Exception {
        try (Wire open = Wire.opened(proxy)) {
            proxy.refuse();
            proxy.refuse();

            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> Wire.connect(proxy)).isInstanceOf(ConnectException.class);
            }
            assertThat(open.ask("still there")).isEqualTo("still there");
        }
    }

    @Test
    void listensAgainOnTheSamePort() throws Exception {
        int port = proxy.port();
        for (int i = 0; i < 3; i++) {
            try (Wire wire = Wire.opened(proxy)) {
                proxy.refuse();
                proxy.cut();
                wire.assertReset();
                proxy.heal();
            }
            assertThat(proxy.port()).isEqualTo(port);
            Wire.opened(proxy).close();
        }
    }

    @Test
    void stallsBothWaysAndLosesNothing() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            proxy.stall();

            wire.send("a");
            wire.send("b");
            wire.assertSilent();
            assertThat(server.heardNothingMore()).isTrue();

            proxy.heal();
            assertThat(wire.line()).isEqualTo("a");
            assertThat(wire.line()).isEqualTo("b");
        }
    }

    @Test
    void stallsNewConnectionsAndTheEndsOfOldOnes() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            proxy.stall();

            wire.endOutput();
            try (Wire fresh = Wire.connect(proxy)) {
                fresh.send("new");
                fresh.assertSilent();
                assertThat(server.heardNothingMore()).isTrue();

                proxy.heal();
                assertThat(fresh.line()).isEqualTo("new");
                wire.assertEnded();
            }
        }
    }

    @Test
    void stallsOnlyTheReplies() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            proxy.toClient().stall();

            wire.send("acted on");

            assertThat(server.heard()).isEqualTo("acted on");
            wire.assertSilent();
            proxy.toClient().heal();
            assertThat(wire.line()).isEqualTo("acted on");
        }
    }

    @Test
    void cutsStalledConnections() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            proxy.stall();
            wire.send("held back");
            wire.assertSilent();

            proxy.cut();

            wire.assertReset();
            assertThat(server.heard()).isEqualTo(EchoServer.RESET);
            proxy.heal();
            assertThat(server.heardNothingMore()).isTrue();
        }
    }

    @Test
    void neverAnswersWhoConnectsIntoTheBlackHole() throws Exception {
        try (Wire open = Wire.opened(proxy)) {
            proxy.blackHole();
            try (Wire lost = Wire.connect(proxy)) {
                lost.send("anybody there?");
                lost.assertSilent();
                assertThat(open.ask("I am")).isEqualTo("I am");

                proxy.heal();
                lost.assertSilent();
                Wire.opened(proxy).close();

                proxy.cut();
                lost.assertReset();
            }
        }
    }

    @Test
    void halfClosesTowardsTheClient() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();

            proxy.toClient().end();

            wire.assertEnded();
            wire.send("goes on");
            assertThat(server.heard()).isEqualTo("goes on");
            wire.send("and on, though the answers are dropped");
            server.heard();
            assertThat(proxy.openConnections()).isEqualTo(1);
        }
    }

    @Test
    void halfClosesTowardsTheServer() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();

            proxy.toServer().end();

            assertThat(server.heard()).isEqualTo(EchoServer.END);
            wire.assertEnded();
            wire.send("dropped");
            assertThat(server.heardNothingMore()).isTrue();
        }
    }

    @Test
    void delaysEachPieceAndKeepsTheOrder() throws Exception {
        Duration delay = Duration.ofMillis(40);
        try (Wire wire = Wire.opened(proxy)) {
            proxy.toServer().delay(delay);
            proxy.toClient().delay(delay);
            long start = System.nanoTime();

            wire.send("a");
            wire.send("b");

            assertThat(wire.line()).isEqualTo("a");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2 * delay.toNanos());
            assertThat(wire.line()).isEqualTo("b");
        }
    }

    @Test
    void endsADelayWhenHealed() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            proxy.toClient().delay(Duration.ofDays(1));
            wire.send("a");
            wire.assertSilent();

            proxy.heal();

            assertThat(wire.line()).isEqualTo("a");
        }
    }

    @Test
    void throttlesToSoManyBytesASecond() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            proxy.toServer().throttle(10_000);
            long start = System.nanoTime();
            String line = "x".repeat(1_999);

            assertThat(wire.ask(line)).isEqualTo(line);
            // the last slice is waited for after it was written
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(150));
        }
    }

    @Test
    void endsAThrottleWhenHealed() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            proxy.toClient().throttle(1);
            String line = "x".repeat(100_000);
            wire.send(line);

            proxy.heal();

            assertThat(wire.line()).isEqualTo(line);
        }
    }

    @Test
    void losesTheReplyToTheNextRequestAfterTheServerActed() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            CompletableFuture<byte[]> lost = proxy.loseReply();
            assertThat(lost).isNotDone();

            wire.send("pay");

            wire.assertReset();
            assertThat(text(lost)).isEqualTo("pay\n");
            assertThat(server.heard()).isEqualTo("pay");
        }
        assertThat(Wire.opened(proxy).ask("next")).isEqualTo("next");
    }

    @Test
    void losesTheReplyToTheRequestThatIsMeant() throws Exception {
        try (Wire wire = Wire.opened(proxy);
                Wire other = Wire.opened(proxy)) {
            CompletableFuture<byte[]> lost =
                    proxy.loseReply(request -> text(request).contains("release"));

            assertThat(wire.ask("acquire")).isEqualTo("acquire");
            assertThat(other.ask("acquire")).isEqualTo("acquire");
            wire.send("release");

            wire.assertReset();
            assertThat(text(lost)).isEqualTo("release\n");
            assertThat(other.ask("release")).as("only one is lost").isEqualTo("release");
        }
    }

    @Test
    void recognisesARequestThatComesInPieces() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            CompletableFuture<byte[]> lost =
                    proxy.loseRequest(request -> text(request).contains("one\ntwo\n"));

            proxy.toClient().stall();
            wire.send("one");
            assertThat(server.heard()).isEqualTo("one");
            wire.send("two");

            assertThat(text(lost)).isEqualTo("one\ntwo\n");
            wire.assertReset();
            assertThat(server.heard()).isEqualTo(EchoServer.RESET);
        }
    }

    @Test
    void losesARequestBeforeTheServerHearsOfIt() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            server.heard();
            CompletableFuture<byte[]> lost = proxy.loseRequest(request -> true);

            wire.send("pay");

            wire.assertReset();
            assertThat(text(lost)).isEqualTo("pay\n");
            assertThat(server.heard()).isEqualTo(EchoServer.RESET);
        }
    }

    @Test
    void waitsForNoRequestOnceHealed() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            CompletableFuture<byte[]> lost = proxy.loseReply();

            proxy.heal();

            assertThat(wire.ask("safe")).isEqualTo("safe");
            assertThat(lost).isCancelled();
        }
    }

    @Test
    void tellsThatAPredicateFailedAndGoesOn() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            CompletableFuture<byte[]> lost = proxy.loseReply(request -> {
                throw new IllegalStateException("bad predicate");
            });

            assertThat(wire.ask("safe")).isEqualTo("safe");
            assertThat(lost).isCompletedExceptionally();
        }
    }

    @Test
    void resetsEverythingAndListensNoMoreOnceClosed() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            proxy.stall();

            proxy.close();
            proxy.close();

            wire.assertReset();
            proxy.heal();
            assertThatThrownBy(() -> Wire.connect(proxy)).isInstanceOf(ConnectException.class);
        }
        await().until(FaultProxyTest::proxyThreads, threads -> threads == 0);
    }

    @Test
    void namesWhatCannotBe() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> proxy.toServer().delay(Duration.ofMillis(-1)))
                .withMessageContaining("PT-0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> proxy.toServer().throttle(0))
                .withMessageContaining("0");
    }

    private static long proxyThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("fault-proxy"))
                .count();
    }

    private static String text(CompletableFuture<byte[]> request) throws Exception {
        return text(request.get(Wire.LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
