package io.fenceline.testkit.sim;

/** Something that happens at an instant unless it is cancelled. Timers of one instant happen in the order of their making. */
final class Timer implements Comparable<Timer> {

    final long atNanos;
    final Runnable action;
    private final long number;
    private boolean cancelled;

    Timer(long atNanos, long number, Runnable action) {
        this.atNanos = atNanos;
        this.number = number;
        this.action = action;
    }

    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public int compareTo(Timer other) {
        int byTime = Long.compare(atNanos, other.atNanos);
        return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
}
