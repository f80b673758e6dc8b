package io.fenceline.testkit.net;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client's connection and the one to the server that belongs to it. Each direction has a thread; when both streams have
 * ended, or one of them has failed, so have both connections.
 */
final class Connection {

    private static final int CONNECT_LIMIT_MILLIS = 10_000;

    private final Connections all;
    private final Socket client;
    private final Socket server = new Socket();
    private final Pump requests;
    private final Pump replies;
    private final AtomicInteger running = new AtomicInteger(2);
    private volatile boolean cut;

    Connection(Connections all, Socket client) {
        this.all = all;
        this.client = client;
        Exchange exchange = new Exchange(all.losses, all.roundTrips.newMeter(), all.requests.get());
        this.requests = new Pump(this, client, server, all.toServer, exchange::request);
        this.replies = new Pump(this, server, client, all.toClient, exchange::reply);
    }

    /** Reaches the server and carries bytes until the client's stream ends. */
    void relay() {
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            // created again, since a name may have got another address
            InetSocketAddress target = all.server;
            server.connect(new InetSocketAddress(target.getHostString(), target.getPort()), CONNECT_LIMIT_MILLIS);
            Sockets.thread("fault-proxy " + client.getPort() + " to client", () -> carry(replies));
        } catch (IOException noServer) {
            cut();
            return;
        }
        carry(requests);
    }

    /** Reads what the client sends and does nothing with it. */
    void swallow() {
        try {
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException ended) {
            // treated as the end
        }
        cut();
    }

    boolean isCut() {
        return cut;
    }

    void cut() {
        cut = true;
        Sockets.reset(client);
        Sockets.reset(server);
        all.toServer.wake();
        all.toClient.wake();
        all.remove(this);
    }

    void end(Flow direction) {
        (direction == all.toServer ? requests : replies).end();
    }

    private void carry(Pump pump) {
        try {
            pump.run();
            if (running.decrementAndGet() == 0) {
                Sockets.close(client);
                Sockets.close(server);
                all.remove(this);
            }
        } catch (IOException | InterruptedException failed) {
            cut();
        }
    }
}
