package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import io.fenceline.testkit.BackendOperation;
import java.util.HashMap;
import java.util.Map;

/** Checks that a client releases every attempt whose outcome it does not know, unless it dies. */
final class UndoRule implements Rule {

    private final Map<Integer, Event.Asked> attempts = new HashMap<>();

    /** Lock ids that may have a grant that their client was not told of, and their clients. */
    private final Map<Integer, String> left = new HashMap<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Asked request) {
            if (request.operation() == BackendOperation.ACQUIRE) {
                attempts.put(request.request(), request);
            } else if (request.operation() == BackendOperation.RELEASE) {
                left.remove(request.lockId());
            }
        } else if (line.event() instanceof Event.Answered answered) {
            if (attempts.containsKey(answered.request()) && answered.answer().endsWith("UNKNOWN")) {
                left.put(answered.lockId(), line.process());
            }
        } else if (line.event() instanceof Event.Holds holds) {
            left.remove(holds.lockId());
        } else if (line.event() instanceof Event.Died) {
            left.values().removeIf(line.process()::equals);
        } else if (line.event() instanceof Event.Over) {
            require(left.isEmpty(), "L5", "attempts were given up and not undone, under lock ids " + left.keySet());
        }
    }
}
