package io.fenceline.testkit.net;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Counts how often clients of a {@link FaultProxy} waited for the server.
 *
 * <p>A round trip is counted on a connection when the server's first byte comes after something that the client sent. What a
 * server sends unasked, for instance a notification, is none; nor is what a client sends and does not wait for. Requests that
 * are sent together before the first reply count once: the client waited once. So do requests of several threads that share a
 * connection and overlap; to count operations, let one thread ask.
 *
 * <p>A reply is counted before the client gets it, so an operation that has returned is in the count.
 */
public final class RoundTrips {

    private final List<Meter> meters = new CopyOnWriteArrayList<>();

    RoundTrips() {}

    Meter newMeter() {
        Meter meter = new Meter();
        meters.add(meter);
        return meter;
    }

    /**
     * Returns the sum of all connections, open and ended.
     *
     * @return what passed since the proxy was started
     */
    public Traffic total() {
        return perConnection().stream().reduce(Traffic.NONE, Traffic::plus);
    }

    /**
     * Returns the traffic of each connection, open or ended.
     *
     * @return in the order in which they were accepted
     */
    public List<Traffic> perConnection() {
        return meters.stream().map(Meter::traffic).toList();
    }

    /**
     * Counts round trips.
     *
     * @param work what is done meanwhile, on this thread
     * @return how many were counted on all connections while it ran
     */
    public long countDuring(Runnable work) {
        return trafficDuring(work).roundTrips();
    }

    /**
     * Counts all traffic.
     *
     * @param work what is done meanwhile, on this thread
     * @return what passed on all connections while it ran
     */
    public Traffic trafficDuring(Runnable work) {
        Traffic before = total();
        work.run();
        return total().minus(before);
    }
}
