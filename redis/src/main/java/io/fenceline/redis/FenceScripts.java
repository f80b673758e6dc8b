package io.fenceline.redis;

import io.fenceline.guard.FenceRule;

/** The scripts of guards under one rule. The rule is written into them, so that it need not be sent each time. */
record FenceScripts(
        Script claim,
        Script check,
        Script highest,
        Script set,
        Script hset,
        Script delete,
        Script get,
        Script hgetall,
        String begin,
        String end) {

    private static final FenceScripts AT_LEAST = with("local ONCE = false");
    private static final FenceScripts ONCE = with("local ONCE = true");

    static FenceScripts of(FenceRule rule) {
        return rule == FenceRule.ONCE ? ONCE : AT_LEAST;
    }

    private static FenceScripts with(String constants) {
        return new FenceScripts(
                Script.joined(true, "", "guard/fence", "guard/claim"),
                Script.joined(false, constants, "guard/fence", "guard/check"),
                Script.joined(false, "", "guard/read", "guard/fence-of"),
                Script.joined(true, constants, "guard/fence", "guard/set"),
                Script.joined(true, constants, "guard/fence", "guard/hset"),
                Script.joined(true, constants, "guard/fence", "guard/delete"),
                Script.joined(false, "", "guard/get"),
                Script.joined(false, "", "guard/hgetall"),
                Script.text(constants, "guard/fence", "guard/script-begin"),
                Script.text("", "guard/script-end"));
    }

    /** Returns the script that runs a caller's script behind the guard. */
    Script around(String script) {
        return Script.of(true, begin + script + end);
    }
}
