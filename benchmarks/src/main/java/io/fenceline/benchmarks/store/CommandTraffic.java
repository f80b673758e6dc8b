package io.fenceline.benchmarks.store;

/** Commands, round trips and bytes between clients and a store. */
public record CommandTraffic(long commands, long trips, long bytesUp, long bytesDown) {

    public static final CommandTraffic NONE = new CommandTraffic(0, 0, 0, 0);

    /** Returns the traffic since an earlier count. */
    public CommandTraffic since(CommandTraffic earlier) {
        return new CommandTraffic(
                commands - earlier.commands,
                trips - earlier.trips,
                bytesUp - earlier.bytesUp,
                bytesDown - earlier.bytesDown);
    }

    public CommandTraffic and(CommandTraffic other) {
        return new CommandTraffic(
                commands + other.commands, trips + other.trips, bytesUp + other.bytesUp, bytesDown + other.bytesDown);
    }
}
