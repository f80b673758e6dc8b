package io.fenceline.benchmarks.contender;

import io.fenceline.Backends;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.benchmarks.store.StoreAddress;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.time.Duration;

/** Ours, opened by URI and with the default options, but for a wait that is longer than any round. */
final class FencelineClient implements LockClient {

    private static final LockOptions OPTIONS = LockOptions.defaults().withMaxWait(Duration.ofMinutes(1));

    private final LockBackend backend;
    private final Locks locks;

    private FencelineClient(LockBackend backend) {
        this.backend = backend;
        this.locks = Locks.over(backend);
    }

    static LockClient open(StoreAddress address) {
        LockBackend backend = Backends.open(address.uri());
        backend.ability(SchemaControl.class)
                .filter(schema -> !schema.schemaProblems().isEmpty())
                .ifPresent(SchemaControl::installSchema);
        return new FencelineClient(backend);
    }

    @Override
    public KeyLock lock(String key) {
        return new KeyLock() {
            private Lease lease;

            @Override
            public long acquire() throws InterruptedException {
                lease = locks.acquire(key, OPTIONS);
                return lease.token().value();
            }

            @Override
            public void release() {
                lease.close();
            }
        };
    }

    @Override
    public void close() {
        locks.close();
        backend.close();
    }
}
