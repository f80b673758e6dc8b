package io.fenceline.redis;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.Verdict;
import io.fenceline.redis.link.RedisReplies;
import java.util.List;

/** Parses replies of guard scripts. */
final class FenceReplies {

    private FenceReplies() {}

    /** Reads {1, …}, {0, highest, …} or {-1, owner, …}. */
    static Verdict verdict(List<?> answer) {
        long kind = RedisReplies.number(answer, 0);
        if (kind == 1) {
            return new Verdict.Accepted();
        }
        return kind == 0
                ? new Verdict.Stale(FencingToken.of(RedisReplies.number(answer, 1)))
                : new Verdict.Foreign(LockKey.of(RedisReplies.text(answer, 1)));
    }

    /** Reads {…, lock key, highest, written}. */
    static Fence fence(List<?> answer, int from) {
        return new Fence(
                LockKey.of(RedisReplies.text(answer, from)),
                FencingToken.of(RedisReplies.number(answer, from + 1)),
                RedisReplies.number(answer, from + 2));
    }

    /** Returns the arguments that every guard script starts with, before some free places. */
    static String[] arguments(FenceStamp stamp, int more) {
        String[] arguments = new String[2 + more];
        arguments[0] = requireNonNull(stamp, "stamp").key().value();
        arguments[1] = Long.toString(stamp.token().value());
        return arguments;
    }
}
