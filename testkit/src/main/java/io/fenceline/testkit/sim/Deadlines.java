package io.fenceline.testkit.sim;

import io.fenceline.testkit.BackendOperation;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Until when holders may count on their leases at most, by their own tickers: to the end of the ttl, counted from before
 * the request was sent that the server granted or, as far as they know, extended. A request that was late may be granted after
 * a younger one under the same lock id was refused; then it counts from the younger one.
 */
final class Deadlines implements Rule {

    /** One grant, by its first token: a lock id whose lease has ended can be granted anew, with other tokens. */
    private record Lease(int lockId, long token) {}

    private final Map<Integer, Event.Asked> asked = new HashMap<>();
    private final Map<Integer, Event.Asked> lastRefused = new HashMap<>();
    private final Map<Lease, Long> ends = new HashMap<>();
    private final Map<Integer, TreeSet<Long>> firstTokens = new HashMap<>();
    private final Map<Integer, Lease> held = new HashMap<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Asked request) {
            asked.put(request.request(), request);
        } else if (line.event() instanceof Event.Contended contended) {
            lastRefused.merge(contended.lockId(), requestOf(contended.request()), Deadlines::younger);
        } else if (line.event() instanceof Event.Granted granted) {
            granted(granted);
        } else if (line.event() instanceof Event.Holds holds) {
            held.put(holds.lockId(), leaseWith(holds.lockId(), holds.token()));
        } else if (line.event() instanceof Event.Answered answered) {
            answered(answered);
        }
    }

    /** The grant that a token belongs to. */
    private Lease leaseWith(int lockId, long token) {
        Long first = firstTokens.getOrDefault(lockId, new TreeSet<>()).floor(token);
        return new Lease(lockId, first == null ? token : first);
    }

    /** The same grant again counts from the request that got it first. */
    private void granted(Event.Granted granted) {
        Event.Asked request = requestOf(granted.request());
        Event.Asked from = younger(request, lastRefused.getOrDefault(granted.lockId(), request));
        firstTokens.computeIfAbsent(granted.lockId(), none -> new TreeSet<>()).add(granted.token());
        ends.putIfAbsent(new Lease(granted.lockId(), granted.token()), endCountedFrom(from));
    }

    private void answered(Event.Answered answered) {
        Event.Asked request = requestOf(answered.request());
        boolean extended = request.operation() == BackendOperation.EXTEND
                && answered.answer().equals(Event.Answered.DONE);
        Lease lease = held.get(answered.lockId());
        if (extended && lease != null) {
            long end = endCountedFrom(request); // an extension never moves an end back
            ends.computeIfPresent(lease, (same, known) -> end - known > 0 ? end : known);
        }
    }

    private static Event.Asked younger(Event.Asked one, Event.Asked other) {
        return one.ticker() - other.ticker() >= 0 ? one : other;
    }

    private static long endCountedFrom(Event.Asked request) {
        return request.ticker() + request.ttlNanos();
    }

    private Event.Asked requestOf(int number) {
        return Objects.requireNonNull(asked.get(number), "a reply to no request");
    }

    /** How far a time on the holder's ticker lies behind the end of its lease; negative before the end. */
    long nanosBeyond(int lockId, long ticker) {
        Lease lease = Objects.requireNonNull(held.get(lockId), "a lease that nobody holds");
        return ticker - Objects.requireNonNull(ends.get(lease), "a lease that nobody granted");
    }
}
