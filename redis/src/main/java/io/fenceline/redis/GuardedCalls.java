package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.redis.link.ReplyDeadline;
import java.util.List;

/** Runs the scripts of guards and clocks, and waits for the acknowledgement that the options require. */
final class GuardedCalls {

    private final RedisLink link;
    private final RedisErrors errors;
    private final Acknowledgement wanted;

    GuardedCalls(RedisLink link, RedisErrors errors, Acknowledgement wanted) {
        this.link = link;
        this.errors = errors;
        this.wanted = wanted;
    }

    List<?> read(RedisScript script, String key) {
        return link.run(script, new String[] {key});
    }

    List<?> read(RedisScript script, String key, String... arguments) {
        return link.run(script, new String[] {key}, arguments);
    }

    /**
     * Runs a script whose reply begins with 1 if it wrote.
     *
     * @throws BackendException also if it wrote and too few replicas acknowledged it. The effect is then unknown, since a failover
     *     may lose the write
     */
    List<?> write(RedisScript script, String[] keys, String... arguments) {
        if (wanted.replicas() == 0) {
            return link.run(script, keys, arguments);
        }
        RedisLink.Acknowledged reply = link.runAcknowledged(
                ReplyDeadline.none(), wanted.replicas(), wanted.timeout(), script, keys, arguments);
        if (RedisReplies.number(reply.answer(), 0) == 1 && reply.replicas() < wanted.replicas()) {
            throw errors.failure(
                    ErrorCode.SERVICE_UNAVAILABLE,
                    Effect.UNKNOWN,
                    "it was written, but " + reply.replicas() + " of " + wanted.replicas()
                            + " replicas acknowledged it within "
                            + wanted.timeout().toMillis() + " ms; a failover may lose it",
                    null);
        }
        return reply.answer();
    }
}
