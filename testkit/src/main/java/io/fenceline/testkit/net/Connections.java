package io.fenceline.testkit.net;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The open connections of a proxy, and what they have in common. */
final class Connections implements AutoCloseable {

    volatile InetSocketAddress server;
    final Supplier<Consumer<byte[]>> requests;
    final RoundTrips roundTrips = new RoundTrips();
    final PlannedLosses losses = new PlannedLosses();
    final Flow toServer = new Flow(() -> forEach(connection -> connection.end(this.toServer)));
    final Flow toClient = new Flow(() -> forEach(connection -> connection.end(this.toClient)));

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean answering = true;
    private volatile boolean closed;

    Connections(InetSocketAddress server, Supplier<Consumer<byte[]>> requests) {
        this.server = server;
        this.requests = requests;
    }

    void accept(Socket client) {
        Connection connection = new Connection(this, client);
        open.add(connection);
        if (closed) {
            connection.cut();
        } else if (answering) {
            Sockets.thread("fault-proxy " + client.getPort() + " to server", connection::relay);
        } else {
            Sockets.thread("fault-proxy " + client.getPort() + " unanswered", connection::swallow);
        }
    }

    void remove(Connection connection) {
        open.remove(connection);
    }

    int open() {
        return open.size();
    }

    void answerNew(boolean answered) {
        answering = answered;
    }

    void cut() {
        forEach(Connection::cut);
    }

    void heal() {
        answering = true;
        losses.clear();
        toServer.heal();
        toClient.heal();
    }

    @Override
    public void close() {
        closed = true;
        cut();
        losses.clear();
    }

    private void forEach(Consumer<Connection> action) {
        open.forEach(action);
    }
}
