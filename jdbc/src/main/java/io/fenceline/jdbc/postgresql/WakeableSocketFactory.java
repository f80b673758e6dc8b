package io.fenceline.jdbc.postgresql;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the sockets of connections for signals. The driver makes the factory by its name and hands out no socket; whoever opens
 * the connection collects it by the ticket that went through the driver.
 */
public final class WakeableSocketFactory extends SocketFactory {

    private static final Map<String, WakeableSocket> MADE = new ConcurrentHashMap<>();

    private final String ticket;

    /** Creates the factory; called by the driver. */
    public WakeableSocketFactory(String ticket) {
        this.ticket = ticket;
    }

    /** The driver may have tried several hosts; the last socket is the one in use. */
    static @Nullable WakeableSocket collect(String ticket) {
        return MADE.remove(ticket);
    }

    @Override
    public Socket createSocket() throws IOException {
        WakeableSocket socket = new WakeableSocket();
        MADE.put(ticket, socket);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException("the driver connects by itself");
    }
}
