package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.redis.link.ScriptBatch;
import io.fenceline.spi.TokenMode;

/** Scripts of {@link FencelineLocks}. The options are constants in the text, so they are not sent with each call. */
record LockScripts(
        RedisScript acquire,
        RedisScript succeed,
        RedisScript extend,
        RedisScript release,
        RedisScript releaseAfter,
        RedisScript lookup,
        RedisScript find,
        RedisScript counters,
        RedisScript last,
        RedisScript raise,
        RedisScript force,
        ScriptBatch batch) {

    /** In a cluster, PUBLISH counts only the subscribers of one node. */
    static LockScripts of(RedisOptions options, boolean cluster) {
        String constants = String.join(
                "\n",
                "local CLOCK_FLOOR = " + (options.tokenMode() == TokenMode.CLOCK_FLOOR),
                "local COUNTS_LISTENERS = " + !cluster,
                "local CHANNELS = '" + new LockNames(options.keyPrefix()).channel("") + "'",
                "local RETENTION_MILLIS = " + options.counterRetention().toMillis(),
                "local PLACE_MILLIS = " + options.waiterTimeout().toMillis(),
                "local MICROS_PER_STEP = " + TokenMode.MICROS_PER_STEP,
                "local MAX_TOKEN = " + FencingToken.MAX_VALUE,
                "local GRANT = '^(%d+) (%d+) (%d+) (.*)$'",
                RedisScript.AUDIT);
        RedisScript acquire = RedisScript.joined(
                true, constants, "acquire-at-once", "time", "token", "lease", "queue", "attempt", "acquire");
        RedisScript succeed =
                RedisScript.joined(true, constants, "time", "token", "lease", "queue", "attempt", "succeed");
        RedisScript extend = RedisScript.joined(true, constants, "extend");
        RedisScript release =
                RedisScript.joined(true, constants, "release-at-once", "time", "token", "lease", "queue", "release");
        RedisScript releaseAfter =
                RedisScript.joined(true, constants, "time", "token", "lease", "queue", "release-after");
        return new LockScripts(
                acquire,
                succeed,
                extend,
                release,
                releaseAfter,
                RedisScript.joined(false, "", "time", "lookup"),
                RedisScript.joined(false, "", "time", "find"),
                RedisScript.joined(false, "", "counters"),
                RedisScript.joined(false, "", "last"),
                RedisScript.joined(true, constants, "time", "token", "lease", "audit", "raise"),
                RedisScript.joined(true, constants, "time", "token", "lease", "queue", "audit", "force"),
                ScriptBatch.of(acquire, succeed, extend, release, releaseAfter));
    }
}
