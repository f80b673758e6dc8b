package io.fenceline.testkit.sim;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A sound backend, for mutants to change one operation of. */
abstract class Altered implements LockBackend {

    final LockBackend sound;

    Altered(LockBackend sound) {
        this.sound = sound;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return sound.acquire(request);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return sound.extend(key, lockId, ttl);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return sound.release(key, lockId);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return sound.lookup(key);
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return sound.lookup(lockId);
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return sound.ability(type);
    }

    @Override
    public void close() {
        sound.close();
    }
}
