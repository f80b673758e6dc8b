package io.fenceline.servers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A connection that sends a server commands and reads the answers: as much of the protocol as starting servers needs. */
final class RedisWire implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 5_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    RedisWire(int port) throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
            out = new BufferedOutputStream(socket.getOutputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a command and waits for the answer. Returns a text, which is empty if there is none, a {@link Long}, or a
     * list.
     *
     * @throws IllegalStateException if the answer is an error
     */
    Object call(String... command) throws IOException {
        write("*" + command.length + "\r\n");
        for (String part : command) {
            write("$" + part.getBytes(StandardCharsets.UTF_8).length + "\r\n" + part + "\r\n");
        }
        out.flush();
        return answer();
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private Object answer() throws IOException {
        String head = line();
        String rest = head.substring(1);
        return switch (head.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new IllegalStateException(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            default -> throw new IOException("not an answer of Redis: " + head);
        };
    }

    private String bulk(int length) throws IOException {
        if (length < 0) {
            return "";
        }
        byte[] bytes = in.readNBytes(length + 2);
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private List<Object> list(int length) throws IOException {
        List<Object> answers = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            answers.add(answer());
        }
        return answers;
    }

    private String line() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (b != '\r') {
                bytes.write(b);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
