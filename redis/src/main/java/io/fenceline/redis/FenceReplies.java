package io.fenceline.redis;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.Verdict;
import java.util.List;

/** Parses the replies of the guards' scripts. */
final class FenceReplies {

    private FenceReplies() {}

    /** Reads {1, …}, {0, highest, …} or {-1, owner, …}. */
    static Verdict verdict(List<?> answer) {
        long kind = Replies.number(answer, 0);
        if (kind == 1) {
            return new Verdict.Accepted();
        }
        return kind == 0
                ? new Verdict.Stale(FencingToken.of(Replies.number(answer, 1)))
                : new Verdict.Foreign(LockKey.of(Replies.text(answer, 1)));
    }

    /** Reads {…, lock key, highest, written}. */
    static Fence fence(List<?> answer, int from) {
        return new Fence(
                LockKey.of(Replies.text(answer, from)),
                FencingToken.of(Replies.number(answer, from + 1)),
                Replies.number(answer, from + 2));
    }

    /** Returns what every guarded script gets first, before some free places. */
    static String[] arguments(FenceStamp stamp, int more) {
        String[] arguments = new String[2 + more];
        arguments[0] = stamp.key().value();
        arguments[1] = Long.toString(stamp.token().value());
        return arguments;
    }
}
