package io.fenceline.testkit.sim;

import io.fenceline.Lease;
import io.fenceline.LeasedLock;
import io.fenceline.LockException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.Optional;

/** A thread that takes locks again and again, in every way that the API has. */
final class SimulatedWorker {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(6);
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    /** Long enough for all others to have their turn, each after a lease that nobody released. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final World world;
    private final Client client;
    private final String name;
    private final Chance chance;
    private final CriticalSection shift;

    SimulatedWorker(World world, Client client, String name) {
        this.world = world;
        this.client = client;
        this.name = name;
        this.chance = world.chance();
        this.shift = new CriticalSection(world, client);
    }

    String name() {
        return name;
    }

    void run() {
        while (world.faultsActive() && !client.isClosed()) {
            try {
                client.machine().park(chance.nanosBetween(Duration.ZERO, ONE_SECOND));
                takeSomeLock();
            } catch (InterruptedException e) {
                world.history().note(name, "was interrupted");
            }
        }
        Thread.interrupted(); // it came too late to interrupt anything
        for (LockKey key : World.KEYS) {
            takeInTheEnd(key.value());
        }
        client.workerFinished();
    }

    private void takeSomeLock() throws InterruptedException {
        String key = chance.oneOf(World.KEYS).value();
        LockOptions options = options();
        world.history().add(name, new Event.Wants(key));
        try {
            switch (chance.below(5)) {
                case 0 -> tryOnce(key, options);
                case 1 -> lockAndUnlock(key, options);
                case 2 -> runBody(key, options);
                default -> waitFor(key, options);
            }
        } catch (LockException e) {
            gaveUp(key, e.code().name());
        } catch (InterruptedException e) {
            gaveUp(key, "interrupted");
            throw e;
        } catch (IllegalStateException e) {
            gaveUp(key, String.valueOf(e.getMessage()));
            if (!client.isClosed()) {
                throw e;
            }
        }
    }

    private LockOptions options() {
        long ttlMillis = chance.nanosBetween(World.SHORTEST_TTL, World.LONGEST_TTL) / 1_000_000;
        LockOptions options = LockOptions.defaults()
                .withTtl(world.onlyTtl().orElse(Duration.ofMillis(ttlMillis)))
                .withMaxWait(Duration.ofNanos(chance.nanosBetween(Duration.ZERO, LONGEST_WAIT)));
        if (chance.of(0.2)) {
            long nanos = chance.nanosBetween(Duration.ZERO, World.LONGEST_TTL);
            options = options.withMinHold(Duration.ofMillis(nanos / 1_000_000));
        }
        return client.options(chance.of(0.3) ? options.withoutRenewal() : options);
    }

    private void waitFor(String key, LockOptions options) throws InterruptedException {
        LeaseView lease = hold(client.locks().acquire(key, options), options);
        workAndRelease(lease, options);
    }

    private void tryOnce(String key, LockOptions options) throws InterruptedException {
        Optional<Lease> lease = client.locks().tryAcquire(key, options);
        if (lease.isEmpty()) {
            gaveUp(key, "taken");
        } else {
            workAndRelease(hold(lease.get(), options), options);
        }
    }

    private void workAndRelease(LeaseView lease, LockOptions options) throws InterruptedException {
        try {
            shift.work(lease, options);
        } finally {
            lease.letGo();
            lease.lease().close();
            client.drop(lease);
        }
    }

    private void runBody(String key, LockOptions options) throws InterruptedException {
        client.locks().run(key, options.withInterruptOnLoss(), held -> {
            LeaseView lease = hold(held, options);
            try {
                shift.work(lease, options);
            } finally {
                lease.letGo();
                client.drop(lease);
            }
        });
    }

    private void lockAndUnlock(String key, LockOptions options) throws InterruptedException {
        LeasedLock lock = client.locks().asLock(key, options);
        lock.lockInterruptibly();
        LeaseView lease = hold(lock.lease().orElseThrow(), options);
        try {
            shift.work(lease, options);
        } finally {
            lease.letGo();
            client.drop(lease);
            lock.unlock();
        }
    }

    private LeaseView hold(Lease lease, LockOptions options) {
        return client.hold(lease, options.minHold(), name);
    }

    private void gaveUp(String key, String reason) {
        world.history().add(name, new Event.GaveUp(key, reason));
    }

    /** When nothing fails any more, everybody gets every lock. */
    private void takeInTheEnd(String key) {
        LockOptions options = LockOptions.defaults().withTtl(World.LONGEST_TTL).withMaxWait(PATIENCE);
        world.history().add(name, new Event.Wants(key));
        try {
            waitFor(key, client.options(options));
        } catch (LockException | InterruptedException e) {
            gaveUp(key, String.valueOf(e.getMessage()));
            world.history().add(name, new Event.Stranded(key, String.valueOf(e.getMessage())));
        } catch (IllegalStateException e) {
            gaveUp(key, String.valueOf(e.getMessage()));
            if (!client.isClosed()) {
                throw e;
            }
        }
    }
}
