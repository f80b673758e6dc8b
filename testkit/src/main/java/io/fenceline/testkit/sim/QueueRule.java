package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The threads of one process get a lock in the order in which they called for it. */
final class QueueRule implements Rule {

    private final Map<String, List<String>> lines = new HashMap<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Wants wants) {
            waiting(line, wants.key()).add(line.who());
        } else if (line.event() instanceof Event.GaveUp gaveUp) {
            waiting(line, gaveUp.key()).remove(line.who());
        } else if (line.event() instanceof Event.Holds holds) {
            List<String> waiting = waiting(line, holds.key());
            require(waiting.indexOf(line.who()) == 0, "L6", waiting + " called in this order");
            waiting.remove(0);
        }
    }

    private List<String> waiting(HistoryEntry line, String key) {
        return lines.computeIfAbsent(line.process() + " " + key, none -> new ArrayList<>());
    }
}
