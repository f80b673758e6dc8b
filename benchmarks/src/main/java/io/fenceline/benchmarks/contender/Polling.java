package io.fenceline.benchmarks.contender;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Tries until it is granted: the wait of contenders that have none of their own. */
abstract class Polling implements KeyLock {

    private final long pauseNanos;

    Polling(Duration pause) {
        this.pauseNanos = pause.toNanos();
    }

    /** Tries once; a negative answer means that it was refused. */
    abstract long tryAcquire() throws Exception;

    @Override
    public final long acquire() throws Exception {
        long token = tryAcquire();
        while (token < 0) {
            TimeUnit.NANOSECONDS.sleep(pauseNanos);
            token = tryAcquire();
        }
        return token;
    }
}
