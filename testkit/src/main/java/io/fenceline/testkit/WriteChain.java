package io.fenceline.testkit;

import io.fenceline.testkit.StressedWrite.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The writes that were made, in the order in which each was built on another. If no write was lost this is one chain with
 * tokens that never fall: two writes on one base mean that the later lost the earlier.
 */
final class WriteChain {

    private final Map<String, StressedWrite> all = new HashMap<>();
    private final Map<String, StressedWrite> made = new LinkedHashMap<>();
    private final String end;

    WriteChain(List<StressedWrite> writes, String end) {
        this.end = end;
        writes.forEach(write -> all.put(write.value(), write));
        writes.stream().filter(StressedWrite::isAccepted).forEach(write -> made.put(write.value(), write));
        addUnansweredThatWereSeen();
    }

    /** A write without an answer was made if somebody has read it. */
    private void addUnansweredThatWereSeen() {
        Deque<String> seen = new ArrayDeque<>(List.of(end));
        made.values().forEach(write -> seen.add(write.base()));
        while (!seen.isEmpty()) {
            StressedWrite write = all.get(seen.remove());
            if (write != null && write.outcome() == Outcome.UNKNOWN && made.put(write.value(), write) == null) {
                seen.add(write.base());
            }
        }
    }

    List<String> breaks() {
        List<String> breaks = new ArrayList<>();
        Map<String, StressedWrite> onBase = new HashMap<>();
        for (StressedWrite write : made.values()) {
            StressedWrite base = made.get(write.base());
            if (base == null && !write.base().equals(WriteHistory.START)) {
                breaks.add(write + " was built on " + write.base() + ", which was never accepted");
            }
            if (base != null && write.token() < base.token()) {
                breaks.add(write + " was accepted after " + base);
            }
            StressedWrite twin = onBase.put(write.base(), write);
            if (twin != null) {
                breaks.add(write + " and " + twin + " were both built on " + write.base() + ", so one of them is lost");
            }
        }
        if (breaks.isEmpty()) {
            addBreaksOf(onBase, breaks);
        }
        return breaks;
    }

    /** Follows the one chain that there can be. */
    private void addBreaksOf(Map<String, StressedWrite> onBase, List<String> breaks) {
        String last = WriteHistory.START;
        int length = 0;
        for (@Nullable StressedWrite next = onBase.get(last); next != null && length < made.size(); length++) {
            last = next.value();
            next = onBase.get(last);
        }
        if (length < made.size()) {
            breaks.add((made.size() - length) + " accepted writes are not in the chain, which ends with " + last);
        } else if (!last.equals(end)) {
            breaks.add("the last accepted write was " + last + ", but the final text is " + end);
        }
    }
}
