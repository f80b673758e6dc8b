package io.fenceline.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RoundTripsTest {

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
    void countsEachRequestWithItsReplyOnce() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            assertThat(count(() -> wire.ask("one"))).isEqualTo(1);
            assertThat(count(() -> {
                        wire.ask("two");
                        wire.ask("three");
                    }))
                    .isEqualTo(2);
            assertThat(count(() -> {})).isZero();
        }
    }

    @Test
    void countsBytesEachWay() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            Traffic traffic = proxy.roundTrips().trafficDuring(() -> unchecked(() -> wire.ask("four")));

            assertThat(traffic).isEqualTo(new Traffic(1, 5, 5));
        }
    }

    @Test
    void countsRequestsThatAreSentTogetherOnce() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            proxy.toClient().stall();
            wire.send("one");
            wire.send("two");
            server.heard();
            server.heard();
            server.heard();

            assertThat(count(() -> {
                        proxy.heal();
                        wire.line();
                        wire.line();
                    }))
                    .isEqualTo(1);
        }
    }

    @Test
    void doesNotCountWhatTheServerSendsUnasked() throws Exception {
        try (Wire wire = Wire.opened(proxy)) {
            Socket push = server.connection();

            assertThat(count(() -> {
                        push.getOutputStream().write("news\n".getBytes(StandardCharsets.UTF_8));
                        assertThat(wire.line()).isEqualTo("news");
                    }))
                    .isZero();
            assertThat(count(() -> wire.ask("thanks"))).isEqualTo(1);
        }
    }

    @Test
    void countsConnectionsOneByOneAndTogether() throws Exception {
        try (Wire one = Wire.opened(proxy)) {
            one.ask("1");
        }
        try (Wire two = Wire.opened(proxy)) {
            assertThat(two.ask("2")).isEqualTo("2");
        }

        assertThat(proxy.roundTrips().perConnection()).containsExactly(new Traffic(2, 8, 8), new Traffic(2, 8, 8));
        assertThat(proxy.roundTrips().total()).isEqualTo(new Traffic(4, 16, 16));
    }

    private long count(Work work) {
        return proxy.roundTrips().countDuring(() -> unchecked(work));
    }

    private static void unchecked(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Work {
        void run() throws IOException;
    }
}
