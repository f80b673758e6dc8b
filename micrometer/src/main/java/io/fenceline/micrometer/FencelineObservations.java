package io.fenceline.micrometer;

import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.KeyView;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates observations, which a tracing bridge turns into spans: {@value #ACQUIRE}, {@value #BODY}, {@value #WRITE} and {@value
 * #CLAIM}. Each is current on its thread while it runs, so that observations within it, for instance of the store's driver, become
 * its children.
 *
 * <p>Lock keys and resources are high-cardinality values, shown through a {@link KeyView}; tokens are shown unchanged. The names
 * differ from those of the meters, so a registry may have both.
 *
 * <p>A listener for locks and guards. Thread-safe.
 */
public final class FencelineObservations implements LockListener {

    /** From the call to the lease, or to the end of the attempt. */
    public static final String ACQUIRE = "fenceline.acquiring";

    /** The work under a lease: the body of {@code Locks.run}, or {@code onElected} of a leader. */
    public static final String BODY = "fenceline.body";

    /** A guarded write, check and effect. */
    public static final String WRITE = "fenceline.writing";

    /** A claim. */
    public static final String CLAIM = "fenceline.claiming";

    private final ObservationRegistry registry;
    private final KeyView keys;
    private final ThreadLocal<Deque<Running>> running = ThreadLocal.withInitial(ArrayDeque::new);

    private record Running(Observation observation, Observation.Scope scope) {}

    private FencelineObservations(ObservationRegistry registry, KeyView keys) {
        this.registry = registry;
        this.keys = keys;
    }

    /**
     * Returns observations that hide keys behind a hash.
     *
     * @param registry the registry
     * @return a listener for {@link io.fenceline.LocksBuilder#listener} and for guards
     */
    public static FencelineObservations on(ObservationRegistry registry) {
        return on(registry, KeyView.hidden());
    }

    /**
     * Returns observations.
     *
     * @param registry the registry
     * @param keys how lock keys and resources are shown
     * @return a listener for {@link io.fenceline.LocksBuilder#listener} and for guards
     */
    public static FencelineObservations on(ObservationRegistry registry, KeyView keys) {
        return new FencelineObservations(registry, keys);
    }

    /**
     * Returns a filter for meter registries to which observations are bound, as in Spring Boot: leaves out the timers of acquisitions,
     * guarded writes and claims, which {@link FencelineMetrics} counts already. The timer of {@value #BODY} stays.
     *
     * @return a filter, to be configured before the first observation
     */
    public static MeterFilter withoutTimers() {
        return MeterFilter.deny(id -> Stream.of(ACQUIRE, WRITE, CLAIM)
                .anyMatch(name -> id.getName().equals(name) || id.getName().equals(name + ".active")));
    }

    @Override
    public void on(LockEvent event) {
        if (event instanceof LockEvent.AcquireBegun) {
            start(() -> named(ACQUIRE, "acquire lock", event));
        } else if (event instanceof LockEvent.Acquired grant) {
            stop("outcome", "acquired", grant.stamp().token().text(), null);
        } else if (event instanceof LockEvent.NotAcquired end) {
            stop("outcome", Meters.text(end.reason()), null, null);
        } else if (event instanceof LockEvent.BodyBegun) {
            start(() -> named(BODY, "work under lock", event));
        } else if (event instanceof LockEvent.BodyEnded end) {
            String outcome = end.error() == null ? "returned" : "failed";
            stop("outcome", outcome, end.stamp().token().text(), end.error());
        } else if (event instanceof LockEvent.OfGuard question) {
            guard(question);
        }
    }

    private void guard(LockEvent.OfGuard event) {
        if (event instanceof LockEvent.GuardAsked asked) {
            boolean write = asked.act() == GuardAct.WRITE;
            start(() -> named(write ? WRITE : CLAIM, write ? "guarded write" : "claim", event)
                    .lowCardinalityKeyValue("verdict", "failed")
                    .highCardinalityKeyValue("lock.resource", keys.of(asked.resource())));
        } else if (event instanceof LockEvent.StaleRefused refusal) {
            verdict("stale");
            highest(refusal.highest().text());
        } else if (event instanceof LockEvent.ForeignRefused) {
            verdict("foreign");
        } else if (event instanceof LockEvent.GuardAnswered answer) {
            if (answer.accepted()) {
                verdict("accepted");
            }
            stop(null, null, answer.presented().token().text(), null);
        }
    }

    private Observation named(String name, String text, LockEvent event) {
        return Observation.createNotStarted(name, registry)
                .contextualName(text)
                .highCardinalityKeyValue("lock.key", keys.of(event.key().value()));
    }

    /** Starts an observation. If a handler throws, the observation, and its scope if opened, is still found by the event that ends it. */
    private void start(Supplier<Observation> made) {
        Observation observation = Observation.NOOP;
        Observation.Scope scope = Observation.Scope.NOOP;
        try {
            observation = made.get();
            observation.start();
            scope = observation.openScope();
        } finally {
            Observation.Scope current = registry.getCurrentObservationScope();
            if (scope == Observation.Scope.NOOP && current != null && current.getCurrentObservation() == observation) {
                scope = current;
            }
            running.get().push(new Running(observation, scope));
        }
    }

    private void verdict(String verdict) {
        Running innermost = innermost();
        if (innermost != null) {
            innermost.observation().lowCardinalityKeyValue("verdict", verdict);
        }
    }

    private void highest(String token) {
        Running innermost = innermost();
        if (innermost != null) {
            innermost.observation().highCardinalityKeyValue("lock.highest", token);
        }
    }

    /** Returns the innermost write or claim. A refusal by a trigger has none; it may come within a body. */
    private @Nullable Running innermost() {
        Running innermost = running.get().peek();
        if (innermost == null) {
            running.remove();
            return null;
        }
        String name = innermost.observation().getContext().getName();
        return WRITE.equals(name) || CLAIM.equals(name) ? innermost : null;
    }

    private void stop(
            @Nullable String name, @Nullable String value, @Nullable String token, @Nullable Throwable error) {
        Deque<Running> all = running.get();
        Running ended = all.pop();
        if (all.isEmpty()) {
            running.remove();
        }
        Observation observation = ended.observation();
        try {
            if (name != null && value != null) {
                observation.lowCardinalityKeyValue(name, value);
            }
            if (token != null) {
                observation.highCardinalityKeyValue("lock.token", token);
            }
            if (error != null) {
                observation.error(error);
            }
        } finally {
            try {
                ended.scope().close();
            } finally {
                observation.stop();
            }
        }
    }
}
