package io.fenceline.redis.link;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Finds out whether a server to which no TLS connection was made replies without TLS. Such a server waits for the rest of a command, so that
 * without this a client sees no reply at all.
 */
final class PlainTextProbe {

    private PlainTextProbe() {}

    /** Returns whether the server replies to a PING without TLS, within a time limit for each of connecting and replying. */
    static boolean replies(RedisURI address, long timeoutMillis) {
        int millis = (int) Math.min(Integer.MAX_VALUE, timeoutMillis);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            int first = socket.getInputStream().read();
            return first == '+' || first == '-';
        } catch (IOException e) {
            return false;
        }
    }
}
