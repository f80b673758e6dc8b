package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.output.ErrorOutput;
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

/** Backend decorator that prints the start of each outage once; for {@code elect}, which retries without a limit. */
final class OutageReporter extends ForwardingLockBackend {

    private final ErrorOutput errors;
    private final BooleanSupplier shuttingDown;
    private final AtomicBoolean failing = new AtomicBoolean();

    OutageReporter(LockBackend backend, ErrorOutput errors, BooleanSupplier shuttingDown) {
        super(backend);
        this.errors = errors;
        this.shuttingDown = shuttingDown;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return reported(() -> super.acquire(request));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return reported(() -> super.extend(key, lockId, ttl));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return reported(() -> super.lookup(key));
    }

    private <T> T reported(Supplier<T> call) {
        try {
            T result = call.get();
            failing.set(false);
            return result;
        } catch (BackendException e) {
            if (!shuttingDown.getAsBoolean() && !failing.getAndSet(true)) {
                errors.print("the store is failing; retrying until it answers: " + e.getMessage(), e);
            }
            throw e;
        }
    }
}
