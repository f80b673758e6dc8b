package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.OptionalLong;

/** A worker's time with a lock: it raises the counters that the lock protects, for as long as it is held. */
final class CriticalSection {

    private static final int MOST_STEPS = 3;
    private static final Duration SHORT_STEP = Duration.ofMillis(100);
    private static final Duration LONG_STEP = Duration.ofSeconds(7);

    private final World world;
    private final Client client;
    private final Chance chance;

    CriticalSection(World world, Client client) {
        this.world = world;
        this.client = client;
        this.chance = world.chance();
    }

    void work(LeaseView lease, LockOptions options) throws InterruptedException {
        try {
            for (int steps = 1 + chance.below(MOST_STEPS); steps > 0 && lease.believes(); steps--) {
                if (!raiseAll(lease)) {
                    return;
                }
                if (!options.renewed() && chance.of(0.5)) {
                    lease.lease().extend(someTtl());
                }
            }
        } catch (BackendException | LeaseLostException e) {
            world.history().note(SimulatedThread.current().getName(), "stops work: " + e.getMessage());
        }
    }

    /** Reads and writes every register; returns whether to continue. */
    private boolean raiseAll(LeaseView lease) throws InterruptedException {
        for (Register register : world.registers()) {
            OptionalLong value = world.askRegisters(() -> register.claim(lease.key(), lease.token()));
            pause();
            if (value.isEmpty() || !lease.believes()) {
                return false;
            }
            if (!world.askRegisters(() -> register.raise(lease.key(), lease.token(), value.getAsLong()))) {
                return false;
            }
        }
        return true;
    }

    private Duration someTtl() {
        return Duration.ofMillis(chance.nanosBetween(World.SHORTEST_TTL, World.LONGEST_TTL) / 1_000_000);
    }

    private void pause() throws InterruptedException {
        boolean tired = world.faultsActive() && chance.of(0.2);
        client.machine().park(chance.nanosBetween(Duration.ZERO, tired ? LONG_STEP : SHORT_STEP));
    }
}
