package io.fenceline.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tells a Redis without TLS from servers that speak something else. */
@Timeout(60)
class PlainTextProbeTest {

    private static final long LIMIT_MILLIS = 10_000;

    @Test
    void findsARedisWithoutTls() {
        try (RedisServer server = RedisServer.start(RedisSettings.inMemory())) {
            assertThat(PlainTextProbe.replies(RedisURI.create(server.uri()), LIMIT_MILLIS))
                    .isTrue();
        }
    }

    /** A TLS server replies to a PING in plain text with an alert, whose first byte is 21. */
    @Test
    void takesNoOtherReplyForOne() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread alert = new Thread(() -> {
                try (Socket client = server.accept()) {
                    client.getOutputStream().write(new byte[] {21, 3, 1, 0, 2, 2, 70});
                    client.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            alert.start();
            RedisURI address = RedisURI.create("127.0.0.1", server.getLocalPort());
            assertThat(PlainTextProbe.replies(address, LIMIT_MILLIS)).isFalse();
            alert.join();
        }
    }
}
