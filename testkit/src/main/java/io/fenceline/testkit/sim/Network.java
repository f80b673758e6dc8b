package io.fenceline.testkit.sim;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.util.function.Supplier;

/**
 * Carries requests and replies: late, in another order, twice or not at all. A request that nobody waits for any more still
 * arrives, up to three times the longest ttl later, and so does a second copy of one that was answered long ago. Requests are
 * served in one step, by whichever thread runs the scheduler when they arrive.
 */
final class Network {

    private final Scheduler scheduler;
    private final NetworkQuality networkQuality;
    private final boolean repeating;

    /** Creates a network. */
    Network(Scheduler scheduler, NetworkQuality networkQuality, boolean repeating) {
        this.scheduler = scheduler;
        this.networkQuality = networkQuality;
        this.repeating = repeating;
    }

    /** Asks a server and waits for the reply as long as a driver does. */
    <T> T call(ServerUptime server, Supplier<T> operation) {
        return call(server, Long.MAX_VALUE, operation);
    }

    /**
     * Asks a server and waits for the reply.
     *
     * @throws BackendException what the server throws, or that nobody knows what it did
     */
    <T> T call(ServerUptime server, long limitNanos, Supplier<T> operation) {
        NetworkQuality.Journey journey = networkQuality.next();
        SimulatedReply<T> reply = new SimulatedReply<>();
        int connectedAt = server.outages();
        if (journey.arrives()) {
            scheduler.after(journey.requestNanos(), () -> {
                if (server.outages() != connectedAt) {
                    reply.arrive(failure(broken()));
                    return;
                }
                Supplier<T> outcome = serve(server, operation);
                if (journey.answered()) {
                    scheduler.after(
                            journey.replyNanos(),
                            () -> reply.arrive(server.outages() == connectedAt ? outcome : failure(broken())));
                }
            });
        }
        if (repeating && journey.copyNanos() >= 0) {
            scheduler.after(journey.copyNanos(), () -> serve(server, operation));
        }
        return reply.await(limitNanos);
    }

    /** Delivers something that a server sends by itself, or loses it. */
    void push(Runnable delivery) {
        if (!networkQuality.losesSignal()) {
            scheduler.after(networkQuality.travel(), delivery);
        }
    }

    private static <T> Supplier<T> serve(ServerUptime server, Supplier<T> operation) {
        try {
            server.ensureUp();
            T result = operation.get();
            return () -> result;
        } catch (RuntimeException e) {
            return failure(e);
        }
    }

    private static <T> Supplier<T> failure(RuntimeException error) {
        return () -> {
            throw error;
        };
    }

    private static BackendException broken() {
        return new BackendException(
                ErrorCode.SERVICE_UNAVAILABLE, Effect.UNKNOWN, "simulated: the connection broke", null);
    }
}
