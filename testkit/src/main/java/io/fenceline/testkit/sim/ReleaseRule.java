package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import io.fenceline.testkit.BackendOperation;
import java.util.HashSet;
import java.util.Set;

/**
 * A lease that was released is neither held nor renewed any more. Under the lock id of one that was passed on, the next holder may
 * renew.
 */
final class ReleaseRule implements Rule {

    private final Set<Integer> letGo = new HashSet<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.LetsGo released) {
            letGo.add(released.lockId());
        } else if (line.event() instanceof Event.Holds holds) {
            letGo.remove(holds.lockId());
        } else if (line.event() instanceof Event.Believes belief) {
            require(!letGo.contains(belief.lockId()), "L4", "a lease is believed held after its release");
        } else if (line.event() instanceof Event.Asked request) {
            require(
                    request.operation() == BackendOperation.RELEASE
                            || request.operation() == BackendOperation.RELEASE_AFTER
                            || !letGo.contains(request.lockId()),
                    "L3",
                    request.operation() + " under the lock id of a lease after its release");
        }
    }
}
