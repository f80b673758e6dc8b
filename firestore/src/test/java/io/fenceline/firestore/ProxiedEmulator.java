package io.fenceline.firestore;

import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The emulator behind a proxy. An outage is that the way to it is cut. */
final class ProxiedEmulator implements OutageFixture {

    private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final String prefix = TestStore.freshPrefix();
    private final FaultProxy proxy;

    ProxiedEmulator() {
        String host = TestStore.get().host();
        int colon = host.lastIndexOf(':');
        proxy = FaultProxy.to(host.substring(0, colon), Integer.parseInt(host.substring(colon + 1)));
    }

    FaultProxy proxy() {
        return proxy;
    }

    @Override
    public FirestoreLockBackend open() {
        return open(FirestoreLockOptions.defaults().commandTimeout());
    }

    FirestoreLockBackend open(Duration commandTimeout) {
        FirestoreLockBackend backend = FirestoreLockBackend.open(
                TestStore.get().uri("127.0.0.1:" + proxy.port(), prefix),
                FirestoreLockOptions.defaults().withCommandTimeout(commandTimeout));
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public void restart() {
        closeAll();
    }

    @Override
    public void stopStore() {
        proxy.refuse();
        proxy.cut();
    }

    @Override
    public void startStore() {
        proxy.heal();
    }

    @Override
    public void close() {
        closeAll();
        proxy.close();
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
    }
}
