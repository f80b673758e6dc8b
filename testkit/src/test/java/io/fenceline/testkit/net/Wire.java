package io.fenceline.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A client's connection that speaks lines. */
final class Wire implements AutoCloseable {

    static final int LIMIT_SECONDS = 20;

    private static final int SILENCE_MILLIS = 60;

    private final Socket socket;
    private final InputStream in;

    private Wire(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        socket.setSoTimeout(LIMIT_SECONDS * 1000);
        socket.setTcpNoDelay(true);
    }

    static Wire connect(FaultProxy proxy) throws IOException {
        return new Wire(new Socket(proxy.address().getAddress(), proxy.port()));
    }

    /** Connects and asks once, so that the connection exists in all parts. */
    static Wire opened(FaultProxy proxy) throws IOException {
        Wire wire = connect(proxy);
        assertThat(wire.ask("hello")).isEqualTo("hello");
        return wire;
    }

    String ask(String line) throws IOException {
        send(line);
        return line();
    }

    void send(String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("end of stream after '" + line + "'");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Nothing comes for a while, neither bytes nor an end. */
    void assertSilent() throws IOException {
        socket.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(() -> in.read()).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(LIMIT_SECONDS * 1000);
    }

    void assertReset() {
        assertThatThrownBy(() -> in.read()).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    void assertEnded() throws IOException {
        assertThat(in.read()).isEqualTo(-1);
    }

    @Override
    public void close() {
        Sockets.close(socket);
    }
}
