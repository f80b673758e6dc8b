package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockRecord;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntFunction;

/** The lock server as one client sees it, through the network. */
final class RemoteBackend implements LockBackend {

    private final World world;
    private final Machine machine;
    private final Runnable beforeCall;

    /**
     * Creates a backend.
     *
     * @param beforeCall called by each task that is going to wait for the server
     */
    RemoteBackend(World world, Machine machine, Runnable beforeCall) {
        this.world = world;
        this.machine = machine;
        this.beforeCall = beforeCall;
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        IntFunction<Acquisition> operation = number -> world.server().acquire(number, request);
        return call(BackendOperation.ACQUIRE, request.key(), request.lockId(), request.ttl(), operation);
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
        return type == ReleaseSignals.class
                ? world.signals().map(signals -> type.cast(new RemoteSignals(signals, world.network())))
                : Optional.empty();
    }

    @Override
    public void close() {}

    private <T> T call(BackendOperation operation, LockKey key, LockId lockId, Duration ttl, IntFunction<T> onServer) {
        History history = world.history();
        String caller = Task.current().getName();
        int number = world.nextRequest();
        int id = history.numberOf(lockId);
        long ticker = machine.clock().nanos();
        history.add(caller, new Event.Asked(number, operation, key.value(), id, ttl.toNanos(), ticker));
        beforeCall.run();
        String answer = Event.Answered.DONE;
        try {
            return world.network().call(world.server().uptime(), () -> onServer.apply(number));
        } catch (BackendException e) {
            answer = e.code() + ", effect " + e.effect();
            throw e;
        } finally {
            history.add(caller, new Event.Answered(number, id, answer));
        }
    }
}
