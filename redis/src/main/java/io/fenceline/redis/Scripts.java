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

    /** How much is kept of what people did. */
    static final String AUDIT = "local AUDIT_LENGTH = 100\nlocal AUDIT_MILLIS = "
            + Duration.ofDays(30).toMillis();

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
                AUDIT);
        return new Scripts(
                Script.joined(true, constants, "time", "token", "lease", "line", "attempt", "acquire"),
                Script.joined(true, constants, "time", "token", "lease", "line", "attempt", "succeed"),
                Script.joined(true, constants, "time", "token", "lease", "extend"),
                Script.joined(true, constants, "time", "token", "lease", "line", "release"),
                Script.joined(false, "", "time", "lookup"),
                Script.joined(false, "", "time", "find"),
                Script.joined(false, "", "last"),
                Script.joined(true, constants, "time", "token", "lease", "audit", "raise"),
                Script.joined(true, constants, "time", "token", "lease", "line", "audit", "force"));
    }
}
