package io.fenceline.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Traffic that is slow, or of which a certain request or its reply is lost. */
class FaultProxyTrafficTest extends ProxiedEcho {

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

    private static String text(CompletableFuture<byte[]> request) throws Exception {
        return text(request.get(Wire.LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
