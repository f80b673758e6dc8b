package io.fenceline.jdbc.mariadb;

import io.fenceline.Backends;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.ClientProcessFixture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A database of its own, opened by a URI as the command line does it. */
final class MariaDbUriFixture extends MariaDbFixture implements ClientProcessFixture {

    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();

    @Override
    public String uri() {
        return server().uri(database());
    }

    @Override
    public LockBackend open() {
        LockBackend backend = Backends.open(uri());
        open.add(backend);
        return backend;
    }

    @Override
    public void restart() {
        closeAll();
        super.restart();
    }

    @Override
    public void close() {
        closeAll();
        super.close();
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
    }
}
