package io.fenceline.testkit.sim;

import io.fenceline.testkit.BackendOperation;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Until when holders may count on their leases at the most, by their own tickers: to the end of the ttl, counted from before
 * the request was sent that the server granted or, as far as they know, extended. A request that was late may be granted after
 * a younger one under the same lock id was refused; then it counts from the younger one.
 */
final class Deadlines implements Rule {

    private record End(long token, long ticker) {}

    private final Map<Integer, Event.Asked> asked = new HashMap<>();
    private final Map<Integer, Event.Asked> lastRefused = new HashMap<>();
    private final Map<Integer, End> ends = new HashMap<>();

    @Override
    public void see(Line line) {
        if (line.event() instanceof Event.Asked request) {
            asked.put(request.request(), request);
        } else if (line.event() instanceof Event.Contended contended) {
            lastRefused.merge(contended.lockId(), requestOf(contended.request()), Deadlines::younger);
        } else if (line.event() instanceof Event.Granted granted) {
            granted(granted);
        } else if (line.event() instanceof Event.Answered answered) {
            answered(answered);
        }
    }

    /** The same grant again counts from the request that got it first. */
    private void granted(Event.Granted granted) {
        End known = ends.get(granted.lockId());
        if (known == null || known.token != granted.token()) {
            Event.Asked request = requestOf(granted.request());
            Event.Asked from = younger(request, lastRefused.getOrDefault(granted.lockId(), request));
            ends.put(granted.lockId(), new End(granted.token(), endCountedFrom(from)));
        }
    }

    private void answered(Event.Answered answered) {
        Event.Asked request = requestOf(answered.request());
        boolean extended = request.operation() == BackendOperation.EXTEND
                && answered.answer().equals(Event.Answered.DONE);
        End known = ends.get(answered.lockId());
        if (extended && known != null) {
            long end = endCountedFrom(request);
            if (end - known.ticker > 0) { // an extension never moves an end back
                ends.put(answered.lockId(), new End(known.token, end));
            }
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
        return ticker - Objects.requireNonNull(ends.get(lockId), "a lease that nobody granted").ticker;
    }
}
