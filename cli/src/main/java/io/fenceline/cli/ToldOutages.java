package io.fenceline.cli;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A store whose outages people are told of, once each: for somebody who goes on asking whatever happens. */
final class ToldOutages extends ForwardingLockBackend {

    private final Complaints complaints;
    private final BooleanSupplier leaving;
    private final AtomicBoolean away = new AtomicBoolean();

    /**
     * Tells of a store's outages.
     *
     * @param leaving whether it does not matter any more: the end of the JVM makes drivers fail
     */
    ToldOutages(LockBackend store, Complaints complaints, BooleanSupplier leaving) {
        super(store);
        this.complaints = complaints;
        this.leaving = leaving;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return told(() -> super.acquire(request));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return told(() -> super.extend(key, lockId, ttl));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return told(() -> super.lookup(key));
    }

    private <T> T told(Supplier<T> call) {
        try {
            T answer = call.get();
            away.set(false);
            return answer;
        } catch (BackendException e) {
            if (!leaving.getAsBoolean() && !away.getAndSet(true)) {
                complaints.tell("the store fails, and is asked again until it answers: " + e.getMessage(), e);
            }
            throw e;
        }
    }
}
