package io.fenceline.testkit.net;

/** Counts the traffic of one connection. */
final class Meter {

    private boolean unanswered;
    private long roundTrips;
    private long bytesToServer;
    private long bytesToClient;

    synchronized void request(int bytes) {
        bytesToServer += bytes;
        unanswered = true;
    }

    synchronized void reply(int bytes) {
        bytesToClient += bytes;
        if (unanswered) {
            unanswered = false;
            roundTrips++;
        }
    }

    synchronized Traffic traffic() {
        return new Traffic(roundTrips, bytesToServer, bytesToClient);
    }
}
