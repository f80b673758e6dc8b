package io.fenceline.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The backend's view of a driver. Safe for all threads. Every method throws {@link io.fenceline.BackendException} if the store
 * refuses or does not answer in time, and completes as if it were not interrupted, with the interrupt status kept.
 *
 * <p>A command is sent at most once: a link must not repeat one of its own accord, or a lock could be granted to somebody
 * who has given up long ago.
 */
interface RedisLink extends AutoCloseable {

    /**
     * Runs a script, in one round trip if the server knows it.
     *
     * @return its answer; a single number as a list of one
     */
    default List<?> run(Script script, String[] keys, String... arguments) {
        return run(Deadline.none(), script, keys, arguments);
    }

    /**
     * Runs a script as {@link #run(Script, String[], String...)}, and waits no longer than until a deadline. What is sent after it
     * follows on the same connection, unless that proves to be silent.
     */
    List<?> run(Deadline deadline, Script script, String[] keys, String... arguments);

    /** Sends a script without waiting for the reply. Completes exceptionally if none comes within the command timeout. */
    CompletionStage<?> send(Script script, String[] keys, String... arguments);

    /** Runs a script and waits in the same round trip until replicas have what it wrote. Holds up nobody else. */
    Acknowledged runAcknowledged(
            Deadline deadline, Acknowledgement wanted, Script script, String[] keys, String... arguments);

    /** Tells whether the count that PUBLISH answers is of the whole store, and not of one node. */
    boolean countsListeners();

    /** Starts to listen, once and for all; returns when the server has confirmed it, or when that takes too long. */
    void listen(Deadline deadline, String channel, Listener listener);

    /** Tells whether messages arrive now. */
    boolean isListening();

    /** Returns the servers that keep the locks. For people. */
    List<Node> masters();

    /** Closes what this link has opened. Never throws. */
    @Override
    void close();

    /**
     * A script's answer.
     *
     * @param answer as {@link #run} returns it
     * @param replicas how many replicas have acknowledged it
     */
    record Acknowledged(List<?> answer, long replicas) {}

    /** A listener for messages, called on a thread of the driver's; returns at once. */
    interface Listener {
        void message(String text);

        /** Messages arrive again after some may have been lost. */
        void resumed();
    }

    /** One server. */
    interface Node {

        /** Host and port. */
        String name();

        List<?> run(Script script, String... arguments);

        /** The fields of {@code INFO}. */
        Map<String, String> info();

        /** The value of a directive, empty if there is none. Often forbidden where Redis is a service. */
        String setting(String name);

        /** What the server's clock said, in microseconds since 1970. */
        long micros();

        /** How the cluster is, {@code ok} if all is well; empty if this is none. */
        String clusterState();
    }
}
