package io.fenceline.testkit.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Answers each line with the same line, and remembers what it heard and how its connections ended. */
final class EchoServer implements AutoCloseable {

    static final String END = "end of stream";
    static final String RESET = "reset";

    private final ServerSocket listener;
    private final Thread acceptor;
    private final BlockingQueue<Socket> clients = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    EchoServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        acceptor = Sockets.thread("echo accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The next thing that any connection heard. */
    String heard() throws InterruptedException {
        String line = heard.poll(Wire.LIMIT_SECONDS, TimeUnit.SECONDS);
        if (line == null) {
            throw new AssertionError("the server hears nothing");
        }
        return line;
    }

    boolean heardNothingMore() {
        return heard.isEmpty();
    }

    /** The server's side of the next connection. */
    Socket connection() throws InterruptedException {
        Socket client = clients.poll(Wire.LIMIT_SECONDS, TimeUnit.SECONDS);
        if (client == null) {
            throw new AssertionError("nobody connects");
        }
        return client;
    }

    @Override
    public void close() {
        Sockets.close(listener);
        try {
            acceptor.join(); // until then it listens
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        clients.forEach(Sockets::close);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                clients.add(client);
                Sockets.thread("echo", () -> echo(client));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void echo(Socket client) {
        try {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                heard.add(line);
                client.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
            heard.add(END);
            client.close();
        } catch (IOException e) {
            heard.add(RESET);
            Sockets.close(client);
        }
    }
}
