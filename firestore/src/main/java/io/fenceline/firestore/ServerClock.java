package io.fenceline.firestore;

import com.google.cloud.Timestamp;
import io.fenceline.time.Ticker;
import io.fenceline.time.WallClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Measures the clock skew from the time in each reply, without extra requests. Thread-safe. */
final class ServerClock {

    /** Age at which a measurement is replaced by a worse one, since clocks drift and are stepped. */
    private static final long RENEWAL_NANOS = Duration.ofMinutes(1).toNanos();

    private final Ticker ticker;
    private final WallClock wall;
    private final AtomicReference<@Nullable Measurement> best = new AtomicReference<>();

    ServerClock(Ticker ticker, WallClock wall) {
        this.ticker = ticker;
        this.wall = wall;
    }

    /** Starts a measurement, before a request is sent. */
    Reading begin() {
        return new Reading(wall.millis(), ticker.nanos());
    }

    /** Returns the most exact recent measurement, or empty before the first reply. */
    Optional<ClockSkew> skew() {
        return Optional.ofNullable(best.get()).map(Measurement::skew);
    }

    static Instant instant(Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }

    static Timestamp timestamp(Instant time) {
        return Timestamp.ofTimeSecondsAndNanos(time.getEpochSecond(), time.getNano());
    }

    private record Measurement(ClockSkew skew, long atNanos) {

        boolean isWorthLessThan(Measurement other) {
            return other.skew.uncertainty().compareTo(skew.uncertainty()) <= 0
                    || other.atNanos - atNanos > RENEWAL_NANOS;
        }
    }

    /** A request in flight. */
    final class Reading {

        private final long startMillis;
        private final long startNanos;

        private Reading(long startMillis, long startNanos) {
            this.startMillis = startMillis;
            this.startNanos = startNanos;
        }

        /** Ends the measurement. The store read its clock between request and reply. */
        void end(Timestamp server) {
            long now = ticker.nanos();
            Duration half = Duration.ofNanos((now - startNanos) / 2);
            Instant middle = Instant.ofEpochMilli(startMillis).plus(half);
            Measurement latest = new Measurement(new ClockSkew(Duration.between(middle, instant(server)), half), now);
            best.updateAndGet(known -> known == null || known.isWorthLessThan(latest) ? latest : known);
        }
    }
}
