package io.fenceline.testkit.sim;

import java.time.Duration;

/** The quality of the network. Drawn for each run, so that some runs suffer from one fault only and others from all. */
final class NetworkQuality {

    private static final Duration QUICK = Duration.ofMillis(3);
    private static final Duration SLOW = Duration.ofSeconds(3);

    /** Longer than any lease and any wait, so that whoever sent a request has gone on when it arrives, or has gone. */
    static final Duration LATE = World.LONGEST_TTL.multipliedBy(3);

    /**
     * The fate of one request and its reply.
     *
     * @param requestNanos how long the request travels
     * @param replyNanos how long the reply travels
     * @param arrives whether the request arrives
     * @param answered whether the reply arrives
     * @param copyNanos how long a second copy of the request travels, negative if there is none
     */
    record Journey(long requestNanos, long replyNanos, boolean arrives, boolean answered, long copyNanos) {}

    private final Chance chance;
    private final double lostRequests;
    private final double lostReplies;
    private final double duplicates;
    private final double delays;
    private final double late;
    private boolean calm;

    NetworkQuality(Chance chance) {
        this.chance = chance;
        this.lostRequests = oftenNone(0.15);
        this.lostReplies = oftenNone(0.25);
        this.duplicates = oftenNone(0.5);
        this.delays = oftenNone(0.3);
        this.late = oftenNone(0.1);
    }

    private double oftenNone(double atMost) {
        return chance.of(0.4) ? 0 : chance.between(0, atMost);
    }

    /** Nothing is lost, repeated or slow from now on. */
    void calmDown() {
        calm = true;
    }

    boolean isCalm() {
        return calm;
    }

    Journey next() {
        long request = fails(late) ? lateTravel() : travel();
        long reply = travel();
        boolean arrives = !fails(lostRequests);
        boolean answered = arrives && !fails(lostReplies);
        long copy = fails(duplicates) ? request + (fails(0.5) ? lateTravel() : travel()) : -1;
        return new Journey(request, reply, arrives, answered, copy);
    }

    private long lateTravel() {
        return chance.nanosBetween(SLOW, LATE);
    }

    long travel() {
        Duration longest = fails(delays) ? SLOW : QUICK;
        return chance.nanosBetween(Duration.ofNanos(50_000), longest);
    }

    boolean losesSignal() {
        return fails(lostReplies);
    }

    private boolean fails(double probability) {
        return !calm && chance.of(probability);
    }
}
