package io.fenceline.testkit.sim;

import io.fenceline.time.Ticker;
import io.fenceline.time.WallClock;
import java.time.Instant;

/** The clocks of one machine: they run at a rate of their own, and the ticker stands still while the machine sleeps. */
final class Clock implements Ticker, WallClock {

    private static final long EPOCH_MILLIS =
            Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private final Scheduler scheduler;
    private final double rate;
    private final long origin;
    private long asleepNanos;
    private long asleepSince = -1;
    private long steppedMillis;

    /** Creates clocks. */
    Clock(Scheduler scheduler, double rate, long origin) {
        this.scheduler = scheduler;
        this.rate = rate;
        this.origin = origin;
    }

    @Override
    public long nanos() {
        return origin + elapsedNanos();
    }

    /** The ticker counted from the beginning of the simulation. */
    long elapsedNanos() {
        long awakeTill = asleepSince >= 0 ? asleepSince : scheduler.nowNanos();
        return scaled(awakeTill - asleepNanos);
    }

    @Override
    public long millis() {
        return EPOCH_MILLIS + steppedMillis + scaled(scheduler.nowNanos()) / 1_000_000;
    }

    /** How long a wait by these clocks takes in truth, if the machine stays awake. */
    long trueNanos(long nanos) {
        return (long) Math.ceil(nanos / rate);
    }

    void step(long millis) {
        steppedMillis += millis;
    }

    void fallAsleep() {
        if (asleepSince < 0) {
            asleepSince = scheduler.nowNanos();
        }
    }

    void wakeUp() {
        if (asleepSince >= 0) {
            asleepNanos += scheduler.nowNanos() - asleepSince;
            asleepSince = -1;
        }
    }

    private long scaled(long trueNanos) {
        return (long) (trueNanos * rate);
    }
}
