package io.fenceline.benchmarks.store;

/**
 * The traffic of a connection up to a moment, or between two.
 *
 * @param commands what clients asked the server to do
 * @param trips how often a client sent something after the server's answer
 * @param bytesUp from the clients
 * @param bytesDown to the clients
 */
public record Traffic(long commands, long trips, long bytesUp, long bytesDown) {

    /** Nothing. */
    public static final Traffic NONE = new Traffic(0, 0, 0, 0);

    /** Returns what went since an earlier moment. */
    public Traffic since(Traffic earlier) {
        return new Traffic(
                commands - earlier.commands,
                trips - earlier.trips,
                bytesUp - earlier.bytesUp,
                bytesDown - earlier.bytesDown);
    }

    /** Returns both together. */
    public Traffic and(Traffic other) {
        return new Traffic(
                commands + other.commands, trips + other.trips, bytesUp + other.bytesUp, bytesDown + other.bytesDown);
    }
}
