package io.fenceline.testkit.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A TCP proxy on the loopback address, in front of any server, whose network fails on demand. Needs no privileges.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
 *     Client client = Client.connect("127.0.0.1", proxy.port());
 *     proxy.stall();          // nothing passes, without an error
 *     ...
 *     proxy.heal();           // what was held back arrives
 * }
 * }</pre>
 *
 * <p>Faults are of two kinds. <em>Events</em> happen once, to the connections that exist: {@link #cut}, {@link #end}, {@link
 * #loseReply}. <em>States</em> last until they are {@linkplain #heal healed} and hold for connections that exist and for new
 * ones: {@link #stall} and whatever is set on {@link #toServer()} and {@link #toClient()}; {@link #refuse} and {@link
 * #blackHole} hold for new ones only. So a server that died is {@code refuse()} and then {@code cut()}.
 *
 * <p>A connection exists when its first byte came through; between a client's {@code connect} and that moment an event may
 * miss it. If the server refuses a connection, the client sees its own accepted and then reset.
 *
 * <p>Safe for all threads. No method waits for client or server.
 */
public final class FaultProxy implements AutoCloseable {

    private final Connections connections;
    private final AcceptLoop acceptor;

    private FaultProxy(InetSocketAddress server, Supplier<Consumer<byte[]>> requests) throws IOException {
        connections = new Connections(server, requests);
        acceptor = new AcceptLoop(connections::accept);
    }

    /**
     * Starts a proxy in front of a server. The server need not run yet.
     *
     * @param host the server's host
     * @param port the server's port
     * @return a proxy without faults, which the caller closes
     */
    public static FaultProxy to(String host, int port) {
        return to(host, port, () -> bytes -> {});
    }

    /**
     * Starts a proxy that shows what clients send.
     *
     * @param host the server's host
     * @param port the server's port
     * @param requests called for each connection; what it returns receives each piece before the server does
     * @return a proxy without faults, which the caller closes
     */
    public static FaultProxy to(String host, int port, Supplier<Consumer<byte[]>> requests) {
        try {
            return new FaultProxy(new InetSocketAddress(host, port), requests);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + InetAddress.getLoopbackAddress(), e);
        }
    }

    /**
     * Returns where clients connect to. It stays the same until the proxy is closed.
     *
     * @return a port of the loopback address
     */
    public int port() {
        return acceptor.address().getPort();
    }

    /**
     * Returns where clients connect to. It stays the same until the proxy is closed.
     *
     * @return the loopback address and {@link #port()}
     */
    public InetSocketAddress address() {
        return acceptor.address();
    }

    /**
     * Returns the way of the requests.
     *
     * @return what can be stalled, delayed, throttled or ended by itself
     */
    public Flow toServer() {
        return connections.toServer;
    }

    /**
     * Returns the way of the replies.
     *
     * @return what can be stalled, delayed, throttled or ended by itself
     */
    public Flow toClient() {
        return connections.toClient;
    }

    /**
     * Returns the count of what passes.
     *
     * @return round trips and bytes since the proxy was started
     */
    public RoundTrips roundTrips() {
        return connections.roundTrips;
    }

    /**
     * Returns how many connections are open now.
     *
     * @return connections that a client made and that did not end
     */
    public int openConnections() {
        return connections.open();
    }

    /** Cuts every connection: client and server get a reset. New connections are not affected. */
    public void cut() {
        connections.cut();
    }

    /**
     * Ends every connection in order: client and server read the end of the stream, as if the other had closed it. What was
     * in transit is lost. New connections are not affected.
     */
    public void end() {
        toClient().end();
        toServer().end();
    }

    /**
     * Connects new connections to another server from now on, as a virtual address does after a switchover. Open connections keep
     * their server.
     *
     * @param host the other server's host
     * @param port the other server's port
     */
    public void redirect(String host, int port) {
        connections.server = new InetSocketAddress(host, port);
    }

    /** Refuses new connections, as a port on which nobody listens does, until {@link #heal}. Open connections stay. */
    public void refuse() {
        acceptor.shut();
    }

    /**
     * Accepts new connections from now on and never answers them, not even when healed; reaches no server for them. Open
     * connections stay.
     */
    public void blackHole() {
        connections.answerNew(false);
    }

    /**
     * Lets nothing pass in either direction until {@link #heal}, neither bytes nor the end of a stream. Nothing is lost; new
     * connections are accepted and stall as well.
     */
    public void stall() {
        toServer().stall();
        toClient().stall();
    }

    /**
     * Lets the next request through and cuts its connection when the first byte of its reply comes, as {@link
     * #loseReply(Predicate)} does.
     *
     * @return completes with the request when its reply was lost
     */
    public CompletableFuture<byte[]> loseReply() {
        return loseReply(request -> true);
    }

    /**
     * Lets one request through and cuts its connection when the first byte of its reply comes: the server acted, and the client
     * cannot know. Meant for connections with one request under way at a time; otherwise an earlier request's reply may be
     * taken for that of this one.
     *
     * @param request recognises the request by what the client has sent since the last reply; called for each piece that
     *     arrives
     * @return completes with the request when its reply was lost; cancelled by {@link #heal} if no such request has come
     */
    public CompletableFuture<byte[]> loseReply(Predicate<byte[]> request) {
        return connections.losses.add(request, PlannedLoss.Kind.REPLY);
    }

    /**
     * Cuts the connection of one request instead of passing it on: the server knows nothing of it, and the client cannot know.
     *
     * @param request recognises the request by what the client has sent since the last reply; called for each piece that
     *     arrives, and only the piece that makes it true is kept back
     * @return completes with the request when it was lost; cancelled by {@link #heal} if no such request has come
     */
    public CompletableFuture<byte[]> loseRequest(Predicate<byte[]> request) {
        return connections.losses.add(request, PlannedLoss.Kind.REQUEST);
    }

    /** Ends all faults that last: listens again, passes on what was held back, waits for no request any more. */
    public void heal() {
        connections.heal();
        acceptor.open();
    }

    /** Ends all connections with a reset and stops listening. */
    @Override
    public void close() {
        acceptor.close();
        connections.close();
    }

    /**
     * Returns the address and the number of connections.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "FaultProxy[" + acceptor.address() + " to " + connections.server + ", open connections "
                + openConnections() + "]";
    }
}
