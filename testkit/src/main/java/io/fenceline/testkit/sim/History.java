package io.fenceline.testkit.sim;

import io.fenceline.LockId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The events of one run, in order. */
final class History {

    private final Scheduler scheduler;
    private final Clock serverClock;
    private final List<HistoryEntry> lines = new ArrayList<>();
    private final Map<LockId, Integer> lockIds = new HashMap<>();

    History(Scheduler scheduler, Clock serverClock) {
        this.scheduler = scheduler;
        this.serverClock = serverClock;
    }

    /** Adds an event of now. Threads that are ended after the simulation leave no trace. */
    void add(String who, Event event) {
        if (!scheduler.isOver()) {
            lines.add(new HistoryEntry(scheduler.nowNanos(), serverClock.elapsedNanos(), who, event));
        }
    }

    void note(String who, String text) {
        add(who, new Event.Note(text));
    }

    /** Numbers a lock id. */
    int numberOf(LockId lockId) {
        if (scheduler.isOver()) {
            return 0;
        }
        return lockIds.computeIfAbsent(lockId, unknown -> lockIds.size() + 1);
    }

    List<HistoryEntry> lines() {
        return Collections.unmodifiableList(lines);
    }
}
