package io.fenceline.testkit;

import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/** A {@link TcpStore} behind a proxy. */
final class TcpFixture implements ProxiedFixture, OutageFixture, ClientProcessFixture {

    private static final Duration LIMIT = Duration.ofMillis(600);

    private final TcpStore store = new TcpStore();
    private final FaultProxy proxy = FaultProxy.to("127.0.0.1", store.port());
    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final Duration limit;
    private final UnaryOperator<LockBackend> decoration;

    TcpFixture() {
        this(UnaryOperator.identity());
    }

    TcpFixture(UnaryOperator<LockBackend> decoration) {
        this(LIMIT, decoration);
    }

    TcpFixture(Duration limit, UnaryOperator<LockBackend> decoration) {
        this.limit = limit;
        this.decoration = decoration;
    }

    @Override
    public FaultProxy proxy() {
        return proxy;
    }

    @Override
    public Duration longestAnswer() {
        return LIMIT;
    }

    @Override
    public LockBackend open() {
        LockBackend backend = decoration.apply(new TcpLockBackend(proxy.port(), limit));
        open.add(backend);
        return backend;
    }

    @Override
    public LockBackend openBeside() {
        LockBackend backend = new TcpLockBackend(store.port(), limit);
        open.add(backend);
        return backend;
    }

    @Override
    public String uri() {
        return TcpBackendProvider.uri("tcp", proxy.port());
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public void restart() {
        stopStore();
        startStore();
    }

    @Override
    public void stopStore() {
        store.kill();
    }

    @Override
    public void startStore() {
        store.start();
    }

    /** Returns the store itself, for tests that break it. */
    TcpStore store() {
        return store;
    }

    @Override
    public void close() {
        proxy.close(); // first, since a call into a stalled network would keep a handle from being closed
        open.forEach(LockBackend::close);
        store.close();
    }
}
