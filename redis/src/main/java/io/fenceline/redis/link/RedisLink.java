package io.fenceline.redis.link;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The operations that the backend needs from a Redis driver. Thread-safe. Every method throws {@link
 * io.fenceline.BackendException} if the store refuses or does not answer in time. Interrupts do not end a call; the status is kept.
 *
 * <p>A command is sent at most once. A retry by the driver could grant a lock to a caller that has given up.
 */
public interface RedisLink extends AutoCloseable {

    /**
     * Runs a script, in one round trip if the server has it.
     *
     * @return the reply; a single number as a list of one
     */
    default List<?> run(RedisScript script, String[] keys, String... arguments) {
        return run(ReplyDeadline.none(), script, keys, arguments);
    }

    /**
     * Runs a script with a deadline. Later commands follow on the same connection, unless it is discarded for silence.
     */
    List<?> run(ReplyDeadline deadline, RedisScript script, String[] keys, String... arguments);

    /** Runs a script of a batch, in one command with calls of other threads where that is possible. */
    default List<?> run(
            ReplyDeadline deadline, ScriptBatch batch, RedisScript script, String key, String... arguments) {
        return run(deadline, script, new String[] {key}, arguments);
    }

    /** Sends a script without waiting for the reply. Completes exceptionally if none comes within the command timeout. */
    CompletionStage<?> send(RedisScript script, String[] keys, String... arguments);

    /** Runs a script and waits in the same round trip for the acknowledgement by replicas. Does not delay other calls. */
    Acknowledged runAcknowledged(
            ReplyDeadline deadline,
            int replicas,
            Duration wait,
            RedisScript script,
            String[] keys,
            String... arguments);

    /** Returns whether the keys are spread over several masters. */
    boolean isCluster();

    /** Subscribes once and for all. Returns after the confirmation, or at the deadline. */
    void listen(ReplyDeadline deadline, String channel, Listener listener);

    /** Returns whether the subscription is active. */
    boolean isListening();

    /** Returns the servers that keep the locks, for scans and diagnosis. */
    List<Node> masters();

    /** Closes the connections. Never throws. */
    @Override
    void close();

    /** A reply, and the number of replicas that have acknowledged it. */
    record Acknowledged(List<?> answer, long replicas) {}

    /** Receives messages on a driver thread; must not block. */
    interface Listener {
        void message(String text);

        /** The subscription is active again; messages may have been lost. */
        void resumed();
    }

    /** One server. */
    interface Node {

        /** Host and port. */
        String name();

        List<?> run(RedisScript script, String... arguments);

        /** The fields of {@code INFO}. */
        Map<String, String> info();

        /** A configuration value, empty if there is none. Often forbidden by hosted Redis. */
        String setting(String name);

        /** The server's clock in microseconds since 1970. */
        long micros();

        /** The cluster state, {@code ok} if all is well; empty without a cluster. */
        String clusterState();
    }
}
