package io.fenceline.testkit.sim;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One process: an engine, the workers that use it, and the threads that drive it. */
final class Client {

    private static final int WORKERS = 2;

    private final World world;
    private final String name;
    private final Machine machine;
    private final Locks locks;
    private final boolean tickerMayStop;
    private final List<SimulatedThread> workers = new ArrayList<>();
    private final RenewalWatch watch;
    private final List<LeaseView> leases = new ArrayList<>();
    private int unfinished = WORKERS;
    private int watches;
    private boolean closed;

    Client(World world, String name) {
        this.world = world;
        this.name = name;
        this.machine = new Machine(world.scheduler(), world.clock());
        this.tickerMayStop = world.chance().of(0.5);
        this.locks = world.setup()
                .engine()
                .build(new RemoteBackend(world, machine, this::beforeCall), machine.time())
                .random(world.chance()::fraction)
                .longestTurn(world.longestTurn())
                .withoutThread()
                .listener(this::onEvent)
                .onReleaseError((stamp, error) -> world.history().note(name, "release failed: " + error.getMessage()))
                .build();
        for (int i = 1; i <= WORKERS; i++) {
            SimulatedWorker worker = new SimulatedWorker(world, this, name + "/w" + i);
            workers.add(start(worker.name(), worker::run));
        }
        this.watch = new RenewalWatch(locks, machine, body -> start(name + "/watch" + ++watches, body));
        if (world.setup().watched()) {
            watch.begin();
        }
    }

    private SimulatedThread start(String task, SimulatedThread.Body body) {
        SimulatedThread started = new SimulatedThread(task, world.scheduler(), world.chance(), machine, body);
        world.scheduler().start(started);
        return started;
    }

    /** The watch has to be told of what falls due earlier than it knew, an attempt that is to be undone included. */
    private void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired
                || event instanceof LockEvent.Extended
                || event instanceof LockEvent.NotAcquired) {
            watch.wake();
        }
        if (event instanceof LockEvent.Released released && released.passedOn()) {
            world.history()
                    .add(name, new Event.PassedOn(released.stamp().token().value()));
        }
    }

    /** Called by a task that is going to wait for the lock server. */
    void beforeCall() {
        watch.relieve();
    }

    /** Looks after a lease that a worker was given. */
    LeaseView hold(Lease lease, Duration minHold, String worker) {
        LeaseView view = new LeaseView(world.history(), lease, minHold, worker, machine.clock());
        leases.add(view);
        return view;
    }

    void drop(LeaseView lease) {
        leases.remove(lease);
    }

    void askLeases() {
        if (!machine.isDead()) {
            leases.forEach(LeaseView::believes);
        }
    }

    void workerFinished() {
        unfinished--;
        world.workerFinished();
    }

    boolean isFinished() {
        return unfinished == 0;
    }

    /** Ends all threads where they are. */
    void crash() {
        machine.die();
        world.history().add(name, new Event.Died());
    }

    /** Closes the locks; the workers end when they notice. */
    void shutDown() {
        closed = true;
        world.history().note(name, "closes its locks");
        locks.close();
    }

    boolean isClosed() {
        return closed;
    }

    /** Stops all threads for a while, and the ticker too if the machine is to sleep. */
    void stopFor(long nanos, boolean asleep) {
        world.history().add(name, new Event.Stopped(nanos, asleep));
        if (asleep) {
            machine.sleepFor(nanos);
        } else {
            machine.stopFor(nanos);
        }
        world.scheduler().after(nanos, this::noteContinued);
    }

    private void noteContinued() {
        if (!machine.isStopped()) {
            world.history().add(name, new Event.Continued(machine.clock().nanos()));
        }
    }

    /** Whether its ticker is one that stands still in sleep; otherwise its wall clock is one that is set back. */
    boolean tickerMayStop() {
        return tickerMayStop;
    }

    LockOptions options(LockOptions wanted) {
        return world.setup().options().apply(wanted);
    }

    String name() {
        return name;
    }

    /** The name without the count of restarts. */
    String place() {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    Machine machine() {
        return machine;
    }

    Locks locks() {
        return locks;
    }

    List<SimulatedThread> workers() {
        return workers;
    }
}
