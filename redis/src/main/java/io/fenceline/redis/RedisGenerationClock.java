package io.fenceline.redis;

import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.GenerationClock;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.spi.TokenMode;
import java.util.List;
import java.util.Optional;

/**
 * Generation clock in Redis. A number takes one script and one round trip.
 *
 * <p>With {@link TokenMode#CLOCK_FLOOR}, the default, a number is at least the server's time in steps, so numbers grow even if
 * a failover or a restart lost the last ones. With {@link TokenMode#COUNTER} they begin at 1 and are as durable as the
 * server. The last number is kept without a ttl.
 */
public final class RedisGenerationClock implements GenerationClock {

    private final GuardedCalls calls;
    private final FenceNames names;
    private final RedisErrors errors;
    private final RedisScript next;
    private final RedisScript current;
    private final RedisScript wind;

    RedisGenerationClock(GuardedCalls calls, FenceNames names, RedisErrors errors, TokenMode mode) {
        this.calls = calls;
        this.names = names;
        this.errors = errors;
        String constants = String.join(
                "\n",
                "local CLOCK_FLOOR = " + (mode == TokenMode.CLOCK_FLOOR),
                "local MICROS_PER_STEP = " + TokenMode.MICROS_PER_STEP,
                "local MAX_TOKEN = " + FencingToken.MAX_VALUE);
        this.next = RedisScript.joined(true, constants, "time", "token", "guard/next");
        this.current = RedisScript.joined(false, "", "guard/get");
        this.wind = RedisScript.joined(true, "", "time", "guard/wind");
    }

    @Override
    public FencingToken next(String name) {
        List<?> answer = calls.write(next, new String[] {names.clock(LockKey.of(name))});
        if (RedisReplies.number(answer, 0) != 1) {
            throw errors.failure(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the numbers of '" + name + "' are used up: the last was " + RedisReplies.number(answer, 1),
                    null);
        }
        return FencingToken.of(RedisReplies.number(answer, 1));
    }

    @Override
    public Optional<FencingToken> current(String name) {
        List<?> answer = calls.read(current, names.clock(LockKey.of(name)));
        return answer.get(0) == null ? Optional.empty() : Optional.of(FencingToken.of(RedisReplies.number(answer, 0)));
    }

    @Override
    public void raise(String name, FencingToken atLeast) {
        calls.write(wind, new String[] {names.clock(LockKey.of(name))}, Long.toString(atLeast.value()));
    }
}
