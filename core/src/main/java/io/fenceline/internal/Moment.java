package io.fenceline.internal;

import io.fenceline.time.TimeSource;

/** A reading of both clocks: the monotonic clock, and the wall clock, which goes on while the machine sleeps. */
record Moment(long nanos, long wallMillis) {

    static Moment now(TimeSource time) {
        return new Moment(time.ticker().nanos(), time.wallClock().millis());
    }
}
