package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Rule for losses: signalled once, not after a release, and by the end of the ttl unless the client's threads were stopped. */
final class LossRule implements Rule {

    /** How late a thread may be: as long as the most starved one waits for a processor, a few times over. */
    private static final long PROMPT_NANOS = 100_000_000;

    private final Deadlines deadlines;
    private final Set<String> stopped = new HashSet<>();
    private final Map<String, Long> continuedAt = new HashMap<>();
    private final Map<Held, Long> letGoAt = new HashMap<>();
    private final Set<Held> lost = new HashSet<>();

    private record Held(int lockId, long token) {}

    LossRule(Deadlines deadlines) {
        this.deadlines = deadlines;
    }

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Stopped) {
            stopped.add(line.process());
        } else if (line.event() instanceof Event.Continued continued) {
            stopped.remove(line.process());
            continuedAt.put(line.process(), continued.ticker());
        } else if (line.event() instanceof Event.LetsGo letsGo) {
            Held lease = new Held(letsGo.lockId(), letsGo.token());
            letGoAt.put(lease, line.atNanos());
            require(
                    lost.contains(lease) || isInTime(line, letsGo.lockId(), letsGo.ticker()),
                    "L2",
                    "a loss was not signalled at the end of the ttl");
        } else if (line.event() instanceof Event.Lost loss) {
            // a release that finds the time to be over may be the first to notice
            Held lease = new Held(loss.lockId(), loss.token());
            boolean held = letGoAt.getOrDefault(lease, line.atNanos()) == line.atNanos();
            require(held, "L2", "a lease was lost after it was released");
            require(lost.add(lease), "L2", "a loss was signalled twice");
            require(isInTime(line, loss.lockId(), loss.ticker()), "L2", "a loss was signalled late");
        }
    }

    private boolean isInTime(HistoryEntry line, int lockId, long ticker) {
        Long continued = continuedAt.get(line.process());
        return deadlines.nanosBeyond(lockId, ticker) <= PROMPT_NANOS
                || stopped.contains(line.process())
                || (continued != null && ticker - continued <= PROMPT_NANOS);
    }
}
