package io.fenceline;

import static java.util.Objects.requireNonNull;

import io.fenceline.internal.Engine;
import io.fenceline.internal.EngineThreads;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockListener;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Builds {@link Locks}. Not thread-safe. */
public final class LocksBuilder {

    /** The default of {@link #longestTurn}: 10 ms. */
    public static final Duration LONGEST_TURN = Duration.ofMillis(10);

    private final LockBackend backend;
    private final boolean ownsBackend;
    private final List<LockListener> listeners = new ArrayList<>();
    private LockOptions defaults = LockOptions.defaults();
    private TimeSource time = TimeSource.system();
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    private boolean withoutThread;
    private boolean cohorts = true;
    private Duration longestTurn = LONGEST_TURN;
    private @Nullable Executor asyncExecutor;
    private @Nullable ReleaseErrorHandler releaseErrorHandler;

    LocksBuilder(LockBackend backend, boolean ownsBackend) {
        this.backend = requireNonNull(backend, "backend");
        this.ownsBackend = ownsBackend;
    }

    /**
     * Sets the default options.
     *
     * @param defaults the options
     * @return this builder
     */
    public LocksBuilder defaults(LockOptions defaults) {
        this.defaults = requireNonNull(defaults, "defaults");
        return this;
    }

    /**
     * Adds a listener; there can be several.
     *
     * @param listener called for each event
     * @return this builder
     */
    public LocksBuilder listener(LockListener listener) {
        listeners.add(requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets the handler of releases that fail in {@link Lease#close()}. By default they are logged as warnings.
     *
     * @param handler called on failures
     * @return this builder
     */
    public LocksBuilder onReleaseError(ReleaseErrorHandler handler) {
        this.releaseErrorHandler = requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Sets the executor of {@link Locks#acquireAsync(String)}; each call occupies a thread while it waits. The default uses virtual
     * threads if the JVM has them, and cached daemon threads otherwise.
     *
     * @param executor runs tasks on other threads
     * @return this builder
     */
    public LocksBuilder asyncExecutor(Executor executor) {
        this.asyncExecutor = requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets the time source; for tests.
     *
     * @param time clocks and waiting
     * @return this builder
     */
    public LocksBuilder time(TimeSource time) {
        this.time = requireNonNull(time, "time");
        return this;
    }

    /**
     * Sets the random source of jitter; for tests.
     *
     * @param random numbers from 0 (inclusive) to 1 (exclusive)
     * @return this builder
     */
    public LocksBuilder random(DoubleSupplier random) {
        this.random = requireNonNull(random, "random");
        return this;
    }

    /**
     * Builds locks without threads: renewals, losses and callbacks happen inside {@link Locks#runDueSteps()}, which the caller has
     * to call whenever a step is due, and once a second where the machine may sleep: a loss meanwhile is told by the next call. An abandoned attempt is undone by its own thread if its wait is not over, and otherwise inside the
     * next {@link Locks#runDueSteps()}.
     *
     * @return this builder
     */
    public LocksBuilder withoutThread() {
        this.withoutThread = true;
        return this;
    }

    /**
     * Asks the store for each grant. By default, where the store has {@link io.fenceline.spi.Succession}, a thread that releases a
     * lock passes it on to the next waiter of this process with the same ttl and holder without asking the store, up to 32 times in a
     * row. Each holder has its own, greater token. But a release that passes the lock on does not find out whether the store has lost
     * it, so {@link Locks#run} learns of that only at the end of such a row.
     *
     * @return this builder
     */
    public LocksBuilder withoutCohorts() {
        this.cohorts = false;
        return this;
    }

    /**
     * Sets how long threads of this process pass a contended lock on among themselves before waiters of other processes go first. A
     * longer time means fewer requests for each grant, and longer waits elsewhere. Has an effect where the store has {@link
     * io.fenceline.spi.Succession}.
     *
     * @param turn from the first grant to the beginning of the last; {@link #LONGEST_TURN} by default
     * @return this builder
     * @throws IllegalArgumentException if the time is negative or longer than a year
     */
    public LocksBuilder longestTurn(Duration turn) {
        requireNonNull(turn, "turn");
        if (turn.isNegative() || turn.compareTo(LockOptions.MAX_TTL) > 0) {
            throw new IllegalArgumentException(
                    "turn is " + turn + ", it must be from zero to " + LockOptions.MAX_TTL.toDays() + " days");
        }
        this.longestTurn = turn;
        return this;
    }

    /**
     * Builds the locks.
     *
     * @return locks on the backend
     */
    public Locks build() {
        EngineThreads threads =
                withoutThread ? EngineThreads.callerRuns(asyncExecutor) : EngineThreads.daemons(asyncExecutor);
        Engine engine = new Engine(
                backend, time, random, threads, List.copyOf(listeners), releaseErrorHandler, cohorts, longestTurn);
        return new Locks(engine, defaults, ownsBackend);
    }
}
