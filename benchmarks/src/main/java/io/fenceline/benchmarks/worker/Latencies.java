package io.fenceline.benchmarks.worker;

import java.io.Serializable;
import java.util.Arrays;

/** A histogram of durations, exact to a thirty-second part. For one thread. */
public final class Latencies implements Serializable {

    private static final int PARTS_BITS = 5;
    private static final int PARTS = 1 << PARTS_BITS;

    private final long[] counts = new long[PARTS * (Long.SIZE - PARTS_BITS)];
    private long count;

    /** Adds one. */
    public void add(long nanos) {
        counts[bucket(Math.max(0, nanos))]++;
        count++;
    }

    /** Adds all of another. */
    public Latencies addAll(Latencies other) {
        Arrays.setAll(counts, i -> counts[i] + other.counts[i]);
        count += other.count;
        return this;
    }

    /** Returns how many there are. */
    public long count() {
        return count;
    }

    /** Returns the duration in microseconds that a share of all does not exceed; NaN if there is none. */
    public double quantileMicros(double share) {
        long rank = (long) Math.ceil(share * count);
        long seen = 0;
        for (int bucket = 0; bucket < counts.length && count > 0; bucket++) {
            seen += counts[bucket];
            if (seen >= rank) {
                return middleNanos(bucket) / 1e3;
            }
        }
        return Double.NaN;
    }

    private static int bucket(long nanos) {
        if (nanos < PARTS) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - PARTS_BITS - Long.numberOfLeadingZeros(nanos);
        return (shift + 1) * PARTS + (int) (nanos >>> shift) - PARTS;
    }

    private static double middleNanos(int bucket) {
        if (bucket < PARTS) {
            return bucket;
        }
        int shift = bucket / PARTS - 1;
        return ((bucket % PARTS + PARTS) + 0.5) * (1L << shift);
    }
}
