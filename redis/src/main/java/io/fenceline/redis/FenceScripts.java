package io.fenceline.redis;

import io.fenceline.guard.FenceRule;
import io.fenceline.redis.link.RedisScript;

/** Scripts of guards under one rule, which is a constant in their text. */
record FenceScripts(
        RedisScript claim,
        RedisScript check,
        RedisScript highest,
        RedisScript set,
        RedisScript hset,
        RedisScript delete,
        RedisScript get,
        RedisScript hgetall,
        String begin,
        String end) {

    private static final FenceScripts AT_LEAST = with("local ONCE = false");
    private static final FenceScripts ONCE = with("local ONCE = true");

    static FenceScripts of(FenceRule rule) {
        return rule == FenceRule.ONCE ? ONCE : AT_LEAST;
    }

    private static FenceScripts with(String constants) {
        return new FenceScripts(
                RedisScript.joined(true, "", "guard/fence", "guard/claim"),
                RedisScript.joined(false, constants, "guard/fence", "guard/check"),
                RedisScript.joined(false, "", "guard/read", "guard/fence-of"),
                RedisScript.joined(true, constants, "guard/fence", "guard/set"),
                RedisScript.joined(true, constants, "guard/fence", "guard/hset"),
                RedisScript.joined(true, constants, "guard/fence", "guard/delete"),
                RedisScript.joined(false, "", "guard/get"),
                RedisScript.joined(false, "", "guard/hgetall"),
                RedisScript.text(constants, "guard/fence", "guard/script-begin"),
                RedisScript.text("", "guard/script-end"));
    }

    /** Wraps a caller's script in the guard. */
    RedisScript around(String script) {
        return RedisScript.of(true, begin + script + end);
    }
}
