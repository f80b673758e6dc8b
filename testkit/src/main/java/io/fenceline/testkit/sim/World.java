package io.fenceline.testkit.sim;

import io.fenceline.LockKey;
import io.fenceline.LocksBuilder;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Everything in one simulation. */
final class World {

    static final List<LockKey> KEYS = List.of(LockKey.of("a"), LockKey.of("b"));

    static final Duration SHORTEST_TTL = Duration.ofSeconds(1);

    /** The longest ttl that workers ask for. */
    static final Duration LONGEST_TTL = Duration.ofSeconds(6);

    /** Longer than a section, so that the lock is passed on several times within one. */
    private static final Duration LONG_TURN = Duration.ofSeconds(20);

    private static final int CLIENTS = 3;
    private static final Duration STORM = Duration.ofSeconds(25);
    private static final Duration LATEST_END = Duration.ofMinutes(10);

    /** With these, the quickest server clock and the slowest client clock stay within the default safety margin. */
    private static final double SAFE_DRIFT = 0.02;

    private static final double UNSAFE_DRIFT = 0.2;

    private final Scheduler scheduler = new Scheduler();
    private final Chance chance;
    private final Setup setup;
    private final NetworkQuality networkQuality;
    private final boolean safeClocks;
    private final boolean signalling;
    private final boolean succeeding;
    private final Optional<Duration> onlyTtl;
    private final Clock serverClock;
    private final History history;
    private final Network network;
    private final Network registerNetwork;
    private final LockBackend backend;
    private final Server server;
    private final ServerUptime registerUptime = new ServerUptime(scheduler);
    private final List<Register> registers;
    private final List<Client> clients = new ArrayList<>();
    private int requests;
    private int restarts;

    World(long seed, Setup setup) {
        this.chance = new Chance(seed);
        this.setup = setup;
        this.networkQuality = new NetworkQuality(chance);
        this.safeClocks = chance.of(0.75);
        this.signalling = chance.of(0.5);
        this.succeeding = chance.of(0.7);
        long ttlMillis = chance.nanosBetween(SHORTEST_TTL, LONGEST_TTL) / 1_000_000;
        this.onlyTtl = succeeding && chance.of(0.7) ? Optional.of(Duration.ofMillis(ttlMillis)) : Optional.empty();
        this.serverClock = clock();
        this.history = new History(scheduler, serverClock);
        this.network = new Network(scheduler, networkQuality, true);
        this.registerNetwork = new Network(scheduler, networkQuality, false);
        this.backend = setup.backend().open(serverClock, serverClock);
        this.server = new Server(backend, new ServerUptime(scheduler), history, this::askEveryLease);
        this.registers = List.of(
                new Register("fenced", setup.fence(), history), new Register("unfenced", TokenRule.NONE, history));
    }

    /** Runs to the end, and answers what was thrown that nobody should throw. */
    Optional<Throwable> run() {
        history.note(
                "world",
                (safeClocks ? "safe" : "unsafe") + " clocks, " + (signalling ? "" : "no ") + "signals, "
                        + (succeeding ? "" : "no ") + "successions, "
                        + onlyTtl.map(ttl -> "one ttl and long turns").orElse("many ttls"));
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Client(this, "c" + (i + 1)));
        }
        new FaultInjector(this).begin();
        scheduler.after(STORM.toNanos(), this::endStorm);
        scheduler.after(LATEST_END.toNanos(), this::end);
        scheduler.run();
        return scheduler.failure();
    }

    /** Puts a new process in the place of one that is gone. */
    void restart(Client gone) {
        clients.set(clients.indexOf(gone), new Client(this, gone.place() + "." + ++restarts));
    }

    /** Asks every lease that is thought to be held whether it is. */
    void askEveryLease() {
        clients.forEach(Client::askLeases);
    }

    /**
     * When the last worker has finished after the storm, waits until everything must be over: a request that arrives late, or its
     * copy that arrives even later, may take a lock for a ttl.
     */
    void workerFinished() {
        if (!faultsActive() && clients.stream().allMatch(Client::isFinished)) {
            scheduler.after(2 * NetworkQuality.LATE.plus(LONGEST_TTL).toNanos(), this::end);
        }
    }

    private void endStorm() {
        networkQuality.calmDown();
        history.add("world", new Event.FaultsEnd());
    }

    private void end() {
        for (LockKey key : KEYS) {
            if (backend.isLocked(key)) {
                history.add("world", new Event.StillTaken(key.value()));
            }
        }
        for (Client client : clients) {
            if (!client.isFinished()) {
                history.add(client.name(), new Event.Stranded("", "its workers did not finish"));
            }
        }
        history.add("world", new Event.Over());
        scheduler.stop();
    }

    /** Makes the clocks of one machine. Some tickers overflow during the run. */
    Clock clock() {
        double drift = safeClocks ? SAFE_DRIFT : UNSAFE_DRIFT;
        double rate = 1 + chance.between(-drift, drift);
        long origin = chance.of(0.5) ? Long.MAX_VALUE - STORM.toNanos() / 2 : chance.below(1_000_000_000);
        return new Clock(scheduler, rate, origin);
    }

    Optional<ReleaseSignals> signals() {
        return signalling ? server.signals() : Optional.empty();
    }

    boolean hasSuccession() {
        return succeeding && server.hasSuccession();
    }

    /** The ttl of all workers, whose processes then pass locks on for long; empty if each chooses its own. */
    Optional<Duration> onlyTtl() {
        return onlyTtl;
    }

    Duration longestTurn() {
        return onlyTtl.isPresent() ? LONG_TURN : LocksBuilder.LONGEST_TURN;
    }

    int nextRequest() {
        return ++requests;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    Chance chance() {
        return chance;
    }

    Setup setup() {
        return setup;
    }

    boolean faultsActive() {
        return !networkQuality.isCalm();
    }

    boolean hasSafeClocks() {
        return safeClocks;
    }

    Clock serverClock() {
        return serverClock;
    }

    History history() {
        return history;
    }

    Network network() {
        return network;
    }

    Server server() {
        return server;
    }

    /** Asks the server of the registers, which never fails but cannot always be reached. */
    <T> T askRegisters(Supplier<T> operation) {
        return registerNetwork.call(registerUptime, operation);
    }

    List<Register> registers() {
        return registers;
    }

    List<Client> clients() {
        return clients;
    }
}
