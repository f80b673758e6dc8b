package io.fenceline.redis;

import io.fenceline.FencingToken;
import io.fenceline.spi.TokenMode;
import java.time.Duration;

/** The scripts of one backend. What its options say is written into them, so that it need not be sent each time. */
record Scripts(
        Script acquire,
        Script succeed,
        Script extend,
        Script release,
        Script lookup,
        Script find,
        Script last,
        Script raise,
        Script force) {

    private static final int AUDIT_LENGTH = 100;
    private static final Duration AUDIT_TIME = Duration.ofDays(30);

    static Scripts of(RedisOptions options, boolean countsListeners) {
        String constants = String.join(
                "\n",
                "local CLOCK_FLOOR = " + (options.tokenMode() == TokenMode.CLOCK_FLOOR),
                "local COUNTS_LISTENERS = " + countsListeners,
                "local CHANNELS = '" + new KeyNames(options.keyPrefix()).channel("") + "'",
                "local RETENTION_MILLIS = " + options.counterRetention().toMillis(),
                "local PLACE_MILLIS = " + options.waiterTimeout().toMillis(),
                "local MICROS_PER_STEP = " + TokenMode.MICROS_PER_STEP,
                "local MAX_TOKEN = " + FencingToken.MAX_VALUE,
                "local AUDIT_LENGTH = " + AUDIT_LENGTH,
                "local AUDIT_MILLIS = " + AUDIT_TIME.toMillis());
        return new Scripts(
                Script.of(true, constants, "time", "lease", "line", "attempt", "acquire"),
                Script.of(true, constants, "time", "lease", "line", "attempt", "succeed"),
                Script.of(true, constants, "time", "lease", "extend"),
                Script.of(true, constants, "time", "lease", "line", "release"),
                Script.of(false, "", "time", "lookup"),
                Script.of(false, "", "time", "find"),
                Script.of(false, "", "last"),
                Script.of(true, constants, "time", "lease", "audit", "raise"),
                Script.of(true, constants, "time", "lease", "line", "audit", "force"));
    }
}
