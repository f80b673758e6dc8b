package io.fenceline.benchmarks.store;

/**
 * A server's resource use up to a moment, or between two.
 *
 * @param cpuNanos processor time of all its processes; NaN if they cannot be seen from here
 * @param walBytes bytes of write-ahead log; NaN if it keeps none
 * @param fsyncs flushes of the log; NaN if it keeps none. Exact only while no client is connected
 */
public record ServerUse(double cpuNanos, double walBytes, double fsyncs) {

    /** What is known of a store without a server. */
    public static final ServerUse UNKNOWN = new ServerUse(Double.NaN, Double.NaN, Double.NaN);

    /** Returns what was done since an earlier moment. */
    public ServerUse since(ServerUse earlier) {
        return new ServerUse(cpuNanos - earlier.cpuNanos, walBytes - earlier.walBytes, fsyncs - earlier.fsyncs);
    }
}
