package io.fenceline.testkit.net;

/**
 * The traffic that passed through a {@link FaultProxy}.
 *
 * @param roundTrips how often a server answered something that a client had sent
 * @param bytesToServer what clients sent
 * @param bytesToClient what servers sent, asked or not
 */
public record Traffic(long roundTrips, long bytesToServer, long bytesToClient) {

    /** No traffic. */
    public static final Traffic NONE = new Traffic(0, 0, 0);

    /**
     * Returns the sum.
     *
     * @param other more traffic
     * @return both together
     */
    public Traffic plus(Traffic other) {
        return new Traffic(
                roundTrips + other.roundTrips,
                bytesToServer + other.bytesToServer,
                bytesToClient + other.bytesToClient);
    }

    /**
     * Returns the difference.
     *
     * @param earlier a count of the same proxy, taken before this one
     * @return what passed since
     */
    public Traffic minus(Traffic earlier) {
        return new Traffic(
                roundTrips - earlier.roundTrips,
                bytesToServer - earlier.bytesToServer,
                bytesToClient - earlier.bytesToClient);
    }
}
