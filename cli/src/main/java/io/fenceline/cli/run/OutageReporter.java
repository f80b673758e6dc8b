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
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Backend decorator that prints the start of each outage once; for {@code elect}, which retries without a limit. A permanent failure
 * before the store has answered an acquire, or a claim, for the first time ends the run: a missing privilege does not go away by itself.
 */
final class OutageReporter extends ForwardingLockBackend {

    private final ErrorOutput errors;
    private final BooleanSupplier shuttingDown;
    private final Consumer<BackendException> onRefusal;
    private final Answers locks = new Answers();
    private final Answers claims = new Answers();

    /** How the store has answered one kind of requests. */
    private static final class Answers {
        private final AtomicBoolean failing = new AtomicBoolean();
        private volatile boolean usable;
    }

    OutageReporter(
            LockBackend backend,
            ErrorOutput errors,
            BooleanSupplier shuttingDown,
            Consumer<BackendException> onRefusal) {
        super(backend);
        this.errors = errors;
        this.shuttingDown = shuttingDown;
        this.onRefusal = onRefusal;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        Acquisition answer = reported(locks, () -> super.acquire(request));
        locks.usable = true;
        return answer;
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return reported(locks, () -> super.extend(key, lockId, ttl));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return reported(locks, () -> super.lookup(key));
    }

    /** Claims in the same way; a refusal of the guard is an answer. */
    void claim(Runnable claim) {
        reported(claims, () -> {
            claim.run();
            claims.usable = true;
            return claims;
        });
    }

    private <T> T reported(Answers answers, Supplier<T> call) {
        try {
            T result = call.get();
            answers.failing.set(false);
            return result;
        } catch (BackendException e) {
            if (!answers.usable && !e.code().isTransient()) {
                onRefusal.accept(e);
            } else if (!shuttingDown.getAsBoolean() && !answers.failing.getAndSet(true)) {
                errors.print("the store is failing; retrying until it answers: " + e.getMessage(), e);
            }
            throw e;
        }
    }
}
