package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A backend of a {@link TcpStore}: one connection, made when it is needed, dropped when it fails. */
final class TcpLockBackend implements LockBackend {

    private final ReentrantLock turn = new ReentrantLock();
    private final Redaction redaction = Redaction.withRandomSecret();
    private final int port;
    private final int limitMillis;
    private Socket socket;
    private DataInputStream in;
    private volatile boolean closed;

    /**
     * Creates a backend.
     *
     * @param port of the loopback address
     * @param limit how long an answer is waited for; zero means for ever
     */
    TcpLockBackend(int port, Duration limit) {
        this.port = port;
        this.limitMillis = Math.toIntExact(limit.toMillis());
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        long timeoutMillis = AcquireRequest.millisRoundedUp(request.timeout());
        return ask(
                timeoutMillis,
                Effect.UNKNOWN,
                out -> {
                    out.writeUTF("acquire");
                    out.writeUTF(request.key().value());
                    out.writeUTF(request.lockId().text());
                    out.writeLong(request.ttlMillis());
                    out.writeUTF(request.holder().toString());
                    out.writeInt(request.tokens());
                },
                answer -> {
                    if (answer.readBoolean()) {
                        return new Granted(TcpStore.readGrant(answer));
                    }
                    Duration remaining = Duration.ofMillis(answer.readLong());
                    return new Contended(
                            remaining,
                            Optional.of(answer.readUTF())
                                    .filter(text -> !text.isEmpty())
                                    .map(Holder::of));
                });
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long millis = AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl));
        return ask(
                Effect.UNKNOWN,
                out -> {
                    out.writeUTF("extend");
                    out.writeUTF(key.value());
                    out.writeUTF(lockId.text());
                    out.writeLong(millis);
                },
                answer -> {
                    long end = answer.readLong();
                    return end < 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(end));
                });
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return ask(
                Effect.UNKNOWN,
                out -> {
                    out.writeUTF("release");
                    out.writeUTF(key.value());
                    out.writeUTF(lockId.text());
                },
                DataInputStream::readBoolean);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        long millis = Checks.restMillis(rest);
        return ask(
                Effect.UNKNOWN,
                out -> {
                    out.writeUTF("release after");
                    out.writeUTF(key.value());
                    out.writeUTF(lockId.text());
                    out.writeLong(millis);
                },
                DataInputStream::readBoolean);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return read("lookup key", key.value(), this::readRecord);
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return read("lookup id", lockId.text(), this::readRecord);
    }

    @Override
    public boolean isLocked(LockKey key) {
        return read("isLocked", key.value(), DataInputStream::readBoolean);
    }

    @Override
    public void close() {
        closed = true;
        turn.lock();
        try {
            drop();
        } finally {
            turn.unlock();
        }
    }

    private <T> T read(String operation, String subject, Reader<T> reader) {
        return ask(
                Effect.NONE,
                out -> {
                    out.writeUTF(operation);
                    out.writeUTF(subject);
                },
                reader);
    }

    private Optional<LockRecord> readRecord(DataInputStream answer) throws IOException {
        if (!answer.readBoolean()) {
            return Optional.empty();
        }
        Grant grant = TcpStore.readGrant(answer);
        return Optional.of(new LockRecord(grant, Duration.ofMillis(answer.readLong()), redaction));
    }

    private <T> T ask(Effect effect, Writer writer, Reader<T> reader) {
        return ask(Long.MAX_VALUE, effect, writer, reader);
    }

    private <T> T ask(long timeoutMillis, Effect effect, Writer writer, Reader<T> reader) {
        turn.lock();
        try {
            if (closed) {
                throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "this backend was closed", null);
            }
            connect();
            try {
                boolean hurried = timeoutMillis < limitMillis;
                socket.setSoTimeout(hurried ? (int) timeoutMillis : limitMillis);
                ByteArrayOutputStream request = new ByteArrayOutputStream();
                writer.write(new DataOutputStream(request));
                request.writeTo(socket.getOutputStream());
                return reader.read(in);
            } catch (SocketTimeoutException e) {
                drop(); // an answer that comes late must not be taken for the next one
                throw new BackendException(ErrorCode.NETWORK_TIMEOUT, effect, "no answer", e);
            } catch (IOException e) {
                drop();
                throw new BackendException(ErrorCode.SERVICE_UNAVAILABLE, effect, "the connection broke", e);
            }
        } finally {
            turn.unlock();
        }
    }

    private void connect() {
        if (socket != null) {
            return;
        }
        try {
            socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(limitMillis);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), limitMillis);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        } catch (IOException e) {
            drop();
            throw new BackendException(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "cannot connect to port " + port, e);
        }
    }

    private void drop() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException closedAnyway) {
                // nothing to be done
            }
            socket = null;
        }
    }

    private interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    private interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }
}
