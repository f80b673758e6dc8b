package io.fenceline.testkit.sim;

import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;

/**
 * Something that happened, as the {@link Checker} needs to know it. Lock ids are numbered in the order in which they appear.
 */
sealed interface Event {

    /** An event on the server. */
    sealed interface OnServer extends Event {

        /** The number of the request that did it. */
        int request();

        String key();

        int lockId();
    }

    /** A grant of one token, or of a block of them up to {@code lastToken}. */
    record Granted(int request, String key, int lockId, long token, long lastToken, long ttlNanos)
            implements OnServer {}

    /** A refusal; {@code yielding}, to let others have the lock that was just released. */
    record Contended(int request, String key, int lockId, boolean yielding) implements OnServer {}

    /** An extension; {@code leftNanos} is how long the lease runs after it. */
    record Extended(int request, String key, int lockId, long ttlNanos, boolean done, long leftNanos)
            implements OnServer {}

    /** A release with a rest, which sets the end of the lease. */
    record Kept(int request, String key, int lockId, long restNanos, boolean done) implements OnServer {}

    record Ended(int request, String key, int lockId, boolean done) implements OnServer {}

    /** A client sends a request; {@code ticker} is its own clock at that moment. */
    record Asked(int request, BackendOperation operation, String key, int lockId, long ttlNanos, long ticker)
            implements Event {}

    /** A client gets a reply, or gives up waiting for it. */
    record Answered(int request, int lockId, String answer) implements Event {

        static final String DONE = "done";
    }

    /** A worker calls for a lock. */
    record Wants(String key) implements Event {}

    /** A worker was given a lease. */
    record Holds(String key, int lockId, long token) implements Event {}

    /** The lease that a worker was just given has a minimum hold; {@code ticker} is the worker's clock. */
    record HoldsAtLeast(int lockId, long ticker, long nanos) implements Event {}

    /** A worker's call ended without a lease. */
    record GaveUp(String key, String reason) implements Event {}

    /** The engine says that a lease is held, and for how much longer by the client's ticker. */
    record Believes(String key, int lockId, long token, long ticker, long remainingNanos) implements Event {}

    /** A worker's lease was released, and passed on in its process without asking the server. */
    record PassedOn(long token) implements Event {}

    /** A worker starts to release. */
    record LetsGo(String key, int lockId, long token, long ticker) implements Event {}

    /** The engine signals a loss. */
    record Lost(int lockId, long token, LossReason reason, long ticker) implements Event {}

    /** A client's threads are stopped; with {@code asleep}, its ticker as well. */
    record Stopped(long nanos, boolean asleep) implements Event {}

    /** A client's threads run again after a stop. */
    record Continued(long ticker) implements Event {}

    /** A client's threads are gone. */
    record Died() implements Event {}

    /** A register was read for a change, which claims it. */
    record Read(String register, String key, long token, boolean accepted) implements Event {}

    /** A register was asked to change from {@code expected} by one. */
    record Wrote(String register, String key, long token, long expected, long found, boolean accepted)
            implements Event {}

    /** No fault happens from now on. */
    record FaultsEnd() implements Event {}

    /** A worker did not get a lock although nothing fails any more. */
    record Stranded(String key, String reason) implements Event {}

    /** The run ends. */
    record Over() implements Event {}

    /** A lock was still taken at the end. */
    record StillTaken(String key) implements Event {}

    /** A note for the reader of the history. */
    record Note(String text) implements Event {}
}
