package io.fenceline.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LocksBuilder;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Answer;
import io.fenceline.spi.BulkExtension.Extension;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.time.Delays;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An engine on threads that a test gives it, over a memory store, on time that the test moves. */
final class EngineOnManualTime implements AutoCloseable {

    final List<LockEvent> heard = new CopyOnWriteArrayList<>();

    /** What happens on the way to the store, or back. */
    volatile Consumer<LockKey> beforeExtension = key -> {};

    /** Whose lease cannot be extended in bulk. */
    volatile Predicate<LockKey> lockedRow = key -> false;

    volatile Consumer<LockKey> beforeRelease = key -> {};
    volatile Runnable afterAcquisition = () -> {};
    volatile DoubleSupplier random = () -> 0.5;

    final Engine engine;
    private final AtomicLong nanos = new AtomicLong();
    private final MemoryLockBackend store =
            new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, nanos::get, this::millis));

    EngineOnManualTime(EngineThreads threads) {
        this(threads, null);
    }

    /** Extends also in bulk, if there is something to happen on the way. */
    EngineOnManualTime(EngineThreads threads, @Nullable Consumer<List<Extension>> beforeBulk) {
        ForwardingLockBackend backend = new ForwardingLockBackend(store) {
            @Override
            public Acquisition acquire(AcquireRequest request) {
                Acquisition outcome = super.acquire(request);
                afterAcquisition.run();
                return outcome;
            }

            @Override
            public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
                beforeExtension.accept(key);
                return super.extend(key, lockId, ttl);
            }

            @Override
            public boolean release(LockKey key, LockId lockId) {
                beforeRelease.accept(key);
                return super.release(key, lockId);
            }

            @Override
            public <T> Optional<T> ability(Class<T> type) {
                return type == BulkExtension.class && beforeBulk != null
                        ? Optional.of(type.cast(bulk(beforeBulk)))
                        : super.ability(type);
            }
        };
        TimeSource time = new TimeSource(nanos::get, this::millis, Delays.system());
        engine = new Engine(
                backend,
                time,
                () -> random.getAsDouble(),
                threads,
                List.of(heard::add),
                null,
                true,
                LocksBuilder.LONGEST_TURN);
    }

    private BulkExtension bulk(Consumer<List<Extension>> before) {
        return extensions -> {
            before.accept(extensions);
            return extensions.stream()
                    .map(each -> lockedRow.test(each.key())
                            ? Answer.failed(
                                    new BackendException(ErrorCode.ABORTED, Effect.NONE, "locked by the test", null))
                            : Answer.of(store.extend(each.key(), each.lockId(), each.ttl())))
                    .toList();
        };
    }

    private long millis() {
        return nanos.get() / 1_000_000;
    }

    /** Makes threads that run everything but renewals in the thread that asks for it. */
    static EngineThreads threads(Renewals renewals) {
        return new EngineThreads(false, renewals, Runnable::run, Runnable::run, Runnable::run);
    }

    HeldLease acquire(String key, Duration ttl) {
        LockOptions options = LockOptions.defaults().withTtl(ttl);
        return (HeldLease) engine.tryAcquire(LockKey.of(key), options).orElseThrow();
    }

    boolean isFree(String key) {
        return !store.isLocked(LockKey.of(key));
    }

    /** Ends a lease in the store alone. */
    void release(HeldLease lease) {
        store.release(lease.key(), lease.grant().lockId());
    }

    /** Lets time pass, and the engine do what is due by then. */
    void pass(Duration duration) {
        nanos.addAndGet(duration.toNanos());
        engine.runDueSteps();
    }

    /** How often something was heard. */
    long count(Class<? extends LockEvent> event) {
        return heard.stream().filter(event::isInstance).count();
    }

    /** Waits in real time. */
    static void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - until)
                    .as("waited 30 s in vain: %s", what)
                    .isNegative();
            Thread.yield();
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
