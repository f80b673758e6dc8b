package io.fenceline.jdbc.postgresql;

import io.fenceline.Backends;
import io.fenceline.spi.LockBackend;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A schema of its own, opened by a URI as the command line does it. */
final class PostgresUriFixture extends PostgresFixture {

    private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();

    @Override
    public LockBackend open() {
        LockBackend backend = Backends.open(server().uri() + "&table=" + table());
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
