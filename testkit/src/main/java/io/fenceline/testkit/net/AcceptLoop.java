package io.fenceline.testkit.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Accepts connections on a port, or refuses them.
 *
 * <p>While it is not, a socket that is bound and does not listen keeps the port: others are refused, nobody else gets the
 * port, and a client that tries it again and again is not connected to itself, as Linux does with a port that is free.
 */
final class AcceptLoop implements AutoCloseable {

    private static final int BACKLOG = 1024;

    private final Consumer<Socket> guests;
    private final InetSocketAddress address;
    private @Nullable ServerSocket listener;
    private @Nullable Socket placeholder;
    private Thread acceptor;
    private boolean closed;

    AcceptLoop(Consumer<Socket> guests) throws IOException {
        this.guests = guests;
        ServerSocket first = listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        this.address = new InetSocketAddress(first.getInetAddress(), first.getLocalPort());
        this.listener = first;
        this.acceptor = welcome(first);
    }

    InetSocketAddress address() {
        return address;
    }

    synchronized void shut() {
        if (listener == null || closed) {
            return;
        }
        stopListening();
        try {
            placeholder = new Socket();
            placeholder.setReuseAddress(true);
            placeholder.bind(address);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep " + address + " from others", e);
        }
    }

    synchronized void open() {
        if (listener != null || closed) {
            return;
        }
        try {
            if (placeholder != null) {
                placeholder.close();
                placeholder = null;
            }
            listener = listen(address);
            acceptor = welcome(listener);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + address + " again", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        stopListening();
        Sockets.close(placeholder);
    }

    /** The socket listens for as long as the thread that accepts is in its call, even if it is closed. */
    private void stopListening() {
        Sockets.close(listener);
        listener = null;
        boolean interrupted = false;
        while (acceptor.isAlive()) {
            try {
                acceptor.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static ServerSocket listen(InetSocketAddress where) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true); // connections of the listener before may linger
        socket.bind(where, BACKLOG);
        return socket;
    }

    private Thread welcome(ServerSocket socket) {
        return Sockets.thread("fault-proxy accept " + socket.getLocalPort(), () -> {
            try {
                while (true) {
                    guests.accept(socket.accept());
                }
            } catch (IOException shut) {
                Sockets.close(socket);
            }
        });
    }
}
