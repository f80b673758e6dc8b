package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

/** Once faults have ended, everybody gets every lock, and in the end all are free. */
final class ProgressRule implements Rule {

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Stranded stranded) {
            require(false, "progress", line.who() + " did not get lock '" + stranded.key() + "'");
        } else if (line.event() instanceof Event.StillTaken taken) {
            require(false, "progress", "lock '" + taken.key() + "' is still taken in the end");
        }
    }
}
