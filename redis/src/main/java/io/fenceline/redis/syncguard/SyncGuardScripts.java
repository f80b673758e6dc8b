package io.fenceline.redis.syncguard;

import io.fenceline.FencingToken;
import io.fenceline.redis.link.RedisScript;

/** Scripts of {@link SyncGuardRedisLocks}, the same for every prefix. */
record SyncGuardScripts(
        RedisScript acquire,
        RedisScript extend,
        RedisScript release,
        RedisScript releaseAfter,
        RedisScript lookup,
        RedisScript find,
        RedisScript list,
        RedisScript counters,
        RedisScript last,
        RedisScript raise,
        RedisScript force) {

    /** The time for which SyncGuard still treats an expired lock as held, on every store. */
    private static final int TOLERANCE_MILLIS = 1000;

    static SyncGuardScripts create() {
        return new SyncGuardScripts(
                script(true, "acquire"),
                script(true, "extend"),
                script(true, "release"),
                script(true, "release-after"),
                script(false, "lookup"),
                script(false, "find"),
                script(false, "list"),
                script(false, "counters"),
                script(false, "last"),
                script(true, "raise"),
                script(true, "force"));
    }

    private static RedisScript script(boolean changes, String name) {
        String constants = String.join(
                "\n",
                "local TOLERANCE_MILLIS = " + TOLERANCE_MILLIS,
                "local MAX_TOKEN = " + FencingToken.MAX_VALUE,
                changes ? RedisScript.AUDIT : "");
        String[] parts = changes
                ? new String[] {"time", "syncguard/record", "audit", "syncguard/" + name}
                : new String[] {"time", "syncguard/record", "syncguard/" + name};
        return RedisScript.joined(changes, constants, parts);
    }
}
