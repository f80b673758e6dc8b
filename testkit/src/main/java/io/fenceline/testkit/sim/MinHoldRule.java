package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import io.fenceline.testkit.BackendOperation;
import java.util.HashMap;
import java.util.Map;

/** A lease with a minimum hold that was not lost is released with a rest that reaches to the hold's end, by the holder's clock. */
final class MinHoldRule implements Rule {

    /** When the minimum holds of leases end, by their holders' tickers. */
    private final Map<Integer, Long> ends = new HashMap<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.HoldsAtLeast hold) {
            ends.put(hold.lockId(), hold.ticker() + hold.nanos());
        } else if (line.event() instanceof Event.Lost loss) {
            ends.remove(loss.lockId());
        } else if (line.event() instanceof Event.Asked request && ends.containsKey(request.lockId())) {
            long left = ends.get(request.lockId()) - request.ticker();
            boolean plain = request.operation() == BackendOperation.RELEASE;
            boolean kept = request.operation() == BackendOperation.RELEASE_AFTER;
            require(!plain || left <= 0, "L10", "a lease was released before its minimum hold was over");
            require(!kept || request.ttlNanos() >= left, "L10", "a rest ends before the minimum hold");
        }
    }
}
