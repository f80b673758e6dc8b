package io.fenceline.benchmarks.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A port of this machine that passes everything on to a server, and counts. */
public final class Relay implements AutoCloseable {

    private final Store store;
    private final StoreAddress server;
    private final ServerSocket door;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong commands = new AtomicLong();
    private final AtomicLong trips = new AtomicLong();
    private final AtomicLong bytesUp = new AtomicLong();
    private final AtomicLong bytesDown = new AtomicLong();

    private Relay(Store store, StoreAddress server) throws IOException {
        this.store = store;
        this.server = server;
        this.door = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    }

    /** Opens a relay to a server. */
    public static Relay to(Store store, StoreAddress server) throws IOException {
        Relay relay = new Relay(store, server);
        start("relay", relay::accept);
        return relay;
    }

    /** Returns where clients reach the server through this relay. */
    public StoreAddress address() {
        return server.through(door.getLocalPort());
    }

    /** Returns what has gone through so far. */
    public Traffic traffic() {
        return new Traffic(commands.get(), trips.get(), bytesUp.get(), bytesDown.get());
    }

    /** Waits until nothing has gone through for so long, and returns what has gone through so far. */
    public Traffic trafficAfterQuiet(Duration quiet) throws InterruptedException {
        Traffic last;
        Traffic now = traffic();
        do {
            last = now;
            TimeUnit.NANOSECONDS.sleep(quiet.toNanos());
            now = traffic();
        } while (!now.equals(last));
        return now;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket upstream = new Socket(server.host(), server.port());
                sockets.add(client);
                sockets.add(upstream);
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                AtomicBoolean asked = new AtomicBoolean();
                Commands reader = Commands.of(store);
                start(
                        "relay up",
                        () -> pump(client, upstream, (bytes, length) -> {
                            commands.addAndGet(reader.in(bytes, length));
                            trips.addAndGet(asked.compareAndSet(false, true) ? 1 : 0);
                            bytesUp.addAndGet(length);
                        }));
                start(
                        "relay down",
                        () -> pump(upstream, client, (bytes, length) -> {
                            asked.set(false);
                            bytesDown.addAndGet(length);
                        }));
            }
        } catch (IOException closed) {
            // by close()
        }
    }

    private interface Count {
        void count(byte[] bytes, int length);
    }

    private void pump(Socket from, Socket to, Count count) {
        byte[] bytes = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                count.count(bytes, length); // before it is passed on, so that whoever got it finds it counted
                out.write(bytes, 0, length);
            }
        } catch (IOException ended) {
            // and so has the other direction
        }
        sockets.remove(from);
        sockets.remove(to);
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        door.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
