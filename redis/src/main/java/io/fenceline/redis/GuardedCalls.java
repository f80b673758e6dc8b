package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.util.List;

/** Sends the scripts of guards and clocks, and waits for the replicas that the options ask for. */
final class GuardedCalls {

    private final RedisLink link;
    private final Complaints complaints;
    private final Acknowledgement wanted;

    GuardedCalls(RedisLink link, Complaints complaints, Acknowledgement wanted) {
        this.link = link;
        this.complaints = complaints;
        this.wanted = wanted;
    }

    List<?> read(Script script, String key) {
        return link.run(script, new String[] {key});
    }

    List<?> read(Script script, String key, String... arguments) {
        return link.run(script, new String[] {key}, arguments);
    }

    /**
     * Runs a script whose answer begins with 1 if it wrote.
     *
     * @throws BackendException also if it wrote and too few replicas acknowledged it; the effect is unknown then, since a
     *     fail-over may lose it
     */
    List<?> write(Script script, String[] keys, String... arguments) {
        if (wanted.replicas() == 0) {
            return link.run(script, keys, arguments);
        }
        RedisLink.Acknowledged told = link.runAcknowledged(Deadline.none(), wanted, script, keys, arguments);
        if (Replies.number(told.answer(), 0) == 1 && told.replicas() < wanted.replicas()) {
            throw complaints.told(
                    ErrorCode.SERVICE_UNAVAILABLE,
                    Effect.UNKNOWN,
                    "it was written, but " + told.replicas() + " of " + wanted.replicas()
                            + " replicas acknowledged it within "
                            + wanted.timeout().toMillis() + " ms, so a fail-over may lose it",
                    null);
        }
        return told.answer();
    }
}
