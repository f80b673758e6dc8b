package io.fenceline.testkit.sim;

import java.time.Duration;
import java.util.function.Consumer;

/** Injects faults of machines and processes, each kind in some runs only. */
final class FaultInjector {

    private static final Duration LONGEST_STOP = World.LONGEST_TTL.multipliedBy(2);
    private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(4);
    private static final Duration LONGEST_RESTART = Duration.ofSeconds(5);
    private static final int LARGEST_STEP_MILLIS = 20_000;

    private final World world;
    private final Chance chance;

    FaultInjector(World world) {
        this.world = world;
        this.chance = world.chance();
    }

    void begin() {
        sometimes(Duration.ofSeconds(5), client -> client.stopFor(upTo(LONGEST_STOP), false));
        sometimes(Duration.ofSeconds(8), this::sleepOrStepBack);
        sometimes(Duration.ofSeconds(8), client -> step(client, client.machine().clock(), 1));
        sometimes(Duration.ofSeconds(12), this::crash);
        sometimes(Duration.ofSeconds(20), this::shutDown);
        sometimes(
                Duration.ofSeconds(4), client -> chance.oneOf(client.workers()).interrupt());
        sometimes(Duration.ofSeconds(10), client -> breakDown());
        sometimes(Duration.ofSeconds(8), client -> stepServer());
        sometimes(Duration.ofSeconds(1), client -> world.askEveryLease());
    }

    /** In one run of two, does something to some client again and again, with the given pause on average. */
    private void sometimes(Duration pause, Consumer<Client> fault) {
        if (chance.of(0.5)) {
            next(pause, fault);
        }
    }

    private void next(Duration pause, Consumer<Client> fault) {
        world.scheduler().after(upTo(pause.multipliedBy(2)), () -> {
            if (world.faultsActive()) {
                Client client = chance.oneOf(world.clients());
                if (!client.machine().isDead()) {
                    fault.accept(client);
                }
                next(pause, fault);
            }
        });
    }

    /** Not both to one client: a clock set back hides how long the machine slept, and no client can know. */
    private void sleepOrStepBack(Client client) {
        if (client.tickerMayStop()) {
            client.stopFor(upTo(LONGEST_STOP), true);
        } else {
            step(client, client.machine().clock(), -1);
        }
    }

    private void step(Client client, Clock clock, int direction) {
        int millis = direction * chance.below(LARGEST_STEP_MILLIS);
        world.history().note(client.name(), "wall clock stepped by " + millis + " ms");
        clock.step(millis);
    }

    private void stepServer() {
        int millis = chance.below(2 * LARGEST_STEP_MILLIS) - LARGEST_STEP_MILLIS;
        world.history().note("server", "wall clock stepped by " + millis + " ms");
        world.serverClock().step(millis);
    }

    private void crash(Client client) {
        client.crash();
        world.scheduler().after(upTo(LONGEST_RESTART), () -> world.restart(client));
    }

    private void shutDown(Client client) {
        if (!client.isClosed()) {
            client.shutDown();
            world.scheduler().after(upTo(LONGEST_RESTART), () -> replace(client));
        }
    }

    /** Its process may have crashed, and been replaced, before it was shut down. */
    private void replace(Client client) {
        if (!client.machine().isDead()) {
            world.restart(client);
        }
    }

    private void breakDown() {
        long nanos = upTo(LONGEST_OUTAGE);
        world.history().note("server", "is down for " + nanos + " ns");
        world.server().uptime().beginOutage(nanos);
    }

    private long upTo(Duration longest) {
        return chance.nanosBetween(Duration.ofMillis(1), longest);
    }
}
