package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;

/** A backend that closes the pool of its connections. */
final class PooledLockBackend extends ForwardingLockBackend {

    private final LockPool pool;

    PooledLockBackend(LockBackend delegate, LockPool pool) {
        super(delegate);
        this.pool = pool;
    }

    LockPool pool() {
        return pool;
    }

    @Override
    public void close() {
        super.close();
        pool.close();
    }
}
