package io.fenceline.jdbc.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose reader can be woken while it waits for a notification, and whose shortest wait takes no time.
 *
 * <p>The driver ends every look for notifications with a read that may wait for one millisecond, which delays each
 * notification by as much. Here that read answers at once. A wait that is woken ends as if its time had run out. Both happen only
 * where nothing was read yet, so that no message is cut.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // nothing of the superclass's is used
final class WakeableSocket extends Socket {

    private static final int DRIVERS_LAST_LOOK_MILLIS = 1;

    private final SocketChannel channel;
    private final Selector readable;
    private final Selector writable;
    private volatile int timeoutMillis;
    private volatile boolean wakeable;
    private volatile boolean woken;

    WakeableSocket() throws IOException {
        channel = SocketChannel.open();
        readable = Selector.open();
        writable = Selector.open();
    }

    /** Ends a wait for a notification, the one that runs or else the next. */
    void wake() {
        woken = true;
        if (wakeable) {
            readable.wakeup();
        }
    }

    void wakeable(boolean waits) {
        wakeable = waits;
    }

    @Override
    public void connect(SocketAddress endpoint, int connectMillis) throws IOException {
        channel.socket().connect(endpoint, connectMillis);
        channel.configureBlocking(false);
        channel.register(readable, SelectionKey.OP_READ);
        channel.register(writable, SelectionKey.OP_WRITE);
    }

    private int read(ByteBuffer target) throws IOException {
        int limitMillis = timeoutMillis;
        long end = System.nanoTime() + limitMillis * 1_000_000L;
        while (true) {
            int count = channel.read(target);
            if (count != 0) {
                return count;
            }
            long leftMillis = (end - System.nanoTime() + 999_999) / 1_000_000;
            boolean over = limitMillis == DRIVERS_LAST_LOOK_MILLIS || (limitMillis > 0 && leftMillis <= 0);
            if (over || wokenFrom(limitMillis)) {
                throw new SocketTimeoutException("nothing to read");
            }
            readable.select(limitMillis > 0 ? leftMillis : 0);
            readable.selectedKeys().clear();
        }
    }

    /** A statement waits for its answer with another limit than the one for notifications, and is not woken. */
    private boolean wokenFrom(int limitMillis) {
        if (wakeable && woken && limitMillis > 0) {
            woken = false;
            return true;
        }
        return false;
    }

    private void write(ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            if (channel.write(source) == 0) {
                writable.select();
                writable.selectedKeys().clear();
            }
        }
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return length == 0 ? 0 : WakeableSocket.this.read(ByteBuffer.wrap(bytes, offset, length));
            }

            @Override
            public void close() throws IOException {
                WakeableSocket.this.close();
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                WakeableSocket.this.write(ByteBuffer.wrap(bytes, offset, length));
            }

            @Override
            public void close() throws IOException {
                WakeableSocket.this.close();
            }
        };
    }

    @Override
    public void close() throws IOException {
        channel.close();
        readable.close();
        writable.close();
    }

    @Override
    public void bind(@Nullable SocketAddress address) throws IOException {
        channel.bind(address);
    }

    @Override
    public boolean isConnected() {
        return channel.socket().isConnected();
    }

    @Override
    public boolean isBound() {
        return channel.socket().isBound();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        return channel.socket().isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return channel.socket().isOutputShutdown();
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public InetAddress getInetAddress() {
        return channel.socket().getInetAddress();
    }

    @Override
    public int getPort() {
        return channel.socket().getPort();
    }

    @Override
    public InetAddress getLocalAddress() {
        return channel.socket().getLocalAddress();
    }

    @Override
    public int getLocalPort() {
        return channel.socket().getLocalPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return channel.socket().getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return channel.socket().getLocalSocketAddress();
    }

    @Override
    public void setSoTimeout(int millis) {
        timeoutMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        channel.socket().setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return channel.socket().getTcpNoDelay();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        channel.socket().setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return channel.socket().getKeepAlive();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        channel.socket().setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return channel.socket().getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        channel.socket().setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return channel.socket().getReceiveBufferSize();
    }
}
