package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.Succession;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The lock server as one client sees it, through the network. */
final class RemoteBackend implements LockBackend {

    private final World world;
    private final Machine machine;
    private final Runnable beforeCall;

    /** Creates a backend. */
    RemoteBackend(World world, Machine machine, Runnable beforeCall) {
        this.world = world;
        this.machine = machine;
        this.beforeCall = beforeCall;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        IntFunction<Acquisition> operation = number -> world.server().acquire(number, request);
        Request attempt = asked(BackendOperation.ACQUIRE, request.key(), request.lockId(), request.ttl());
        return call(limitOf(request), () -> operation.apply(attempt.number), attempt);
    }

    private long limitOf(AcquireRequest request) {
        return machine.clock().trueNanos(request.timeout().toNanos());
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        IntFunction<Optional<Instant>> operation = number -> world.server().extend(number, key, lockId, ttl);
        return call(BackendOperation.EXTEND, key, lockId, ttl, operation);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        IntFunction<Boolean> operation = number -> world.server().release(number, key, lockId);
        return call(BackendOperation.RELEASE, key, lockId, Duration.ZERO, operation);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        IntFunction<Boolean> operation = number -> world.server().releaseAfter(number, key, lockId, rest);
        return call(BackendOperation.RELEASE_AFTER, key, lockId, rest, operation);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        Server server = world.server();
        return world.network().call(server.uptime(), () -> server.lookup(key));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        Server server = world.server();
        return world.network().call(server.uptime(), () -> server.lookup(lockId));
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        if (type == Succession.class) {
            return world.hasSuccession() ? Optional.of(type.cast(succession())) : Optional.empty();
        }
        return type == ReleaseSignals.class
                ? world.signals().map(signals -> type.cast(new RemoteSignals(signals, world.network())))
                : Optional.empty();
    }

    /** In the history it is what it stands for: a release and an attempt, at the same moment. */
    private Succession succession() {
        return (last, next, yielding) -> {
            Request release = asked(BackendOperation.RELEASE, next.key(), last, Duration.ZERO);
            Request attempt = asked(BackendOperation.ACQUIRE, next.key(), next.lockId(), next.ttl());
            return call(
                    limitOf(next),
                    () -> world.server().succeed(release.number, attempt.number, last, next, yielding),
                    release,
                    attempt);
        };
    }

    @Override
    public void close() {}

    private record Request(int number, int lockId) {}

    private <T> T call(BackendOperation operation, LockKey key, LockId lockId, Duration ttl, IntFunction<T> onServer) {
        Request request = asked(operation, key, lockId, ttl);
        return call(Long.MAX_VALUE, () -> onServer.apply(request.number), request);
    }

    private Request asked(BackendOperation operation, LockKey key, LockId lockId, Duration ttl) {
        History history = world.history();
        Request request = new Request(world.nextRequest(), history.numberOf(lockId));
        long ticker = machine.clock().nanos();
        history.add(
                SimulatedThread.current().getName(),
                new Event.Asked(request.number, operation, key.value(), request.lockId, ttl.toNanos(), ticker));
        return request;
    }

    private <T> T call(long limitNanos, Supplier<T> onServer, Request... requests) {
        beforeCall.run();
        String answer = Event.Answered.DONE;
        try {
            return world.network().call(world.server().uptime(), limitNanos, onServer);
        } catch (BackendException e) {
            answer = e.code() + ", effect " + e.effect();
            throw e;
        } finally {
            for (Request request : requests) {
                world.history()
                        .add(
                                SimulatedThread.current().getName(),
                                new Event.Answered(request.number, request.lockId, answer));
            }
        }
    }
}
