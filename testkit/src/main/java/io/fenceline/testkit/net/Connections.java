package io.fenceline.testkit.net;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The open connections of a proxy, and what they have in common. */
final class Connections implements AutoCloseable {

    volatile InetSocketAddress server;
    final RoundTrips roundTrips = new RoundTrips();
    final Traps traps = new Traps();
    final Flow toServer = new Flow(() -> forEach(connection -> connection.end(this.toServer)));
    final Flow toClient = new Flow(() -> forEach(connection -> connection.end(this.toClient)));

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean answering = true;
    private volatile boolean closed;

    Connections(InetSocketAddress server) {
        this.server = server;
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
        traps.clear();
        toServer.heal();
        toClient.heal();
    }

    @Override
    public void close() {
        closed = true;
        cut();
        traps.clear();
    }

    private void forEach(Consumer<Connection> action) {
        open.forEach(action);
    }
}
