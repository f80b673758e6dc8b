package io.fenceline.testkit;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A store in memory behind a TCP port: the smallest server that a {@link TcpLockBackend} can use. */
final class TcpStore implements AutoCloseable {

    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private final InetSocketAddress address;
    private LockBackend locks = new MemoryLockBackend(MemoryStore.create());
    private ServerSocket listener;
    private Thread acceptor;

    TcpStore() {
        address = start(0);
    }

    int port() {
        return address.getPort();
    }

    /** Starts it again on the same port. */
    void start() {
        start(port());
    }

    /** Stops it in the middle of whatever it does. What it answered is kept. */
    void kill() {
        try {
            listener.close();
            acceptor.join();
            clients.forEach(TcpStore::reset);
            clients.clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Forgets all that it answered. */
    void lose() {
        locks = new MemoryLockBackend(MemoryStore.create());
    }

    @Override
    public void close() {
        kill();
    }

    private InetSocketAddress start(int port) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            listener = socket;
            acceptor = thread(() -> accept(socket));
            return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocket socket) {
        try {
            while (true) {
                Socket client = socket.accept();
                client.setTcpNoDelay(true);
                clients.add(client);
                thread(() -> serve(client));
            }
        } catch (IOException stopped) {
            // by kill
        }
    }

    private static void reset(Socket client) {
        try {
            client.setSoLinger(true, 0);
            client.close();
        } catch (IOException goneAlready) {
            // by its own end
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "tcp store");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void serve(Socket client) {
        try (client;
                DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()))) {
            while (true) {
                answer(in.readUTF(), in, out);
                out.flush();
            }
        } catch (IOException gone) {
            clients.remove(client);
        }
    }

    private void answer(String operation, DataInputStream in, DataOutputStream out) throws IOException {
        switch (operation) {
            case "acquire" -> writeAcquisition(out, locks.acquire(readRequest(in)));
            case "extend" -> {
                Optional<Instant> end = locks.extend(readKey(in), readId(in), Duration.ofMillis(in.readLong()));
                out.writeLong(end.map(Instant::toEpochMilli).orElse(-1L));
            }
            case "release" -> out.writeBoolean(locks.release(readKey(in), readId(in)));
            case "release after" ->
                out.writeBoolean(locks.releaseAfter(readKey(in), readId(in), Duration.ofMillis(in.readLong())));
            case "lookup key" -> writeRecord(out, locks.lookup(readKey(in)));
            case "lookup id" -> writeRecord(out, locks.lookup(readId(in)));
            case "isLocked" -> out.writeBoolean(locks.isLocked(readKey(in)));
            default -> throw new IOException("unknown operation " + operation);
        }
    }

    private static LockKey readKey(DataInputStream in) throws IOException {
        return LockKey.of(in.readUTF());
    }

    private static LockId readId(DataInputStream in) throws IOException {
        return LockId.parse(in.readUTF());
    }

    private static AcquireRequest readRequest(DataInputStream in) throws IOException {
        return new AcquireRequest(
                readKey(in),
                readId(in),
                Duration.ofMillis(in.readLong()),
                Holder.of(in.readUTF()),
                in.readInt(),
                Duration.ZERO);
    }

    private static void writeAcquisition(DataOutputStream out, Acquisition answer) throws IOException {
        out.writeBoolean(answer instanceof Granted);
        if (answer instanceof Granted granted) {
            writeGrant(out, granted.grant());
        } else if (answer instanceof Contended contended) {
            out.writeLong(contended.remaining().toMillis());
            out.writeUTF(contended.holder().map(Holder::toString).orElse(""));
        }
    }

    private static void writeRecord(DataOutputStream out, Optional<LockRecord> found) throws IOException {
        out.writeBoolean(found.isPresent());
        if (found.isPresent()) {
            writeGrant(out, found.get().raw());
            out.writeLong(found.get().remaining().toMillis());
        }
    }

    private static void writeGrant(DataOutputStream out, Grant grant) throws IOException {
        out.writeUTF(grant.key().value());
        out.writeUTF(grant.lockId().text());
        out.writeUTF(grant.holder().toString());
        out.writeLong(grant.token().value());
        out.writeInt(grant.tokens());
        out.writeLong(grant.acquiredAt().toEpochMilli());
        out.writeLong(grant.expiresAt().toEpochMilli());
    }

    static Grant readGrant(DataInputStream in) throws IOException {
        return new Grant(
                readKey(in),
                readId(in),
                Holder.of(in.readUTF()),
                FencingToken.of(in.readLong()),
                in.readInt(),
                Instant.ofEpochMilli(in.readLong()),
                Instant.ofEpochMilli(in.readLong()));
    }
}
