package io.fenceline.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Connections that pass, stall, end or are refused. */
class FaultProxyTest extends ProxiedEcho {

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
}
