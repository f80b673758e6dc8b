package io.fenceline.testkit.sim;

import java.util.Locale;

/**
 * One line of the history.
 *
 * @param atNanos true time
 * @param serverNanos the time that has passed on the server's clock
 * @param who the process, and the thread of it where that matters
 * @param event what happened
 */
record HistoryEntry(long atNanos, long serverNanos, String who, Event event) {

    /** The process alone. */
    String process() {
        int slash = who.indexOf('/');
        return slash < 0 ? who : who.substring(0, slash);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%14.9f  %-9s %s", atNanos / 1e9, who, event);
    }
}
