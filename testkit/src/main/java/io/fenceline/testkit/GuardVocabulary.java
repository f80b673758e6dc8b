package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.LockEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;

/** The words of the guards' contracts: guarded data, two resources, two locks, and stamps by their numbers. */
abstract class GuardVocabulary {

    static final String RESOURCE = "invoice:42";
    static final String OTHER_RESOURCE = "invoice:43";

    /** The refusals that listeners were told of. */
    final List<LockEvent> events = new CopyOnWriteArrayList<>();

    GuardedData data;
    FenceGuard guard;

    /** Returns the fixture of the running test. */
    abstract GuardFixture fixture();

    @BeforeEach
    final void openData() {
        open(FenceRule.AT_LEAST);
    }

    final void open(FenceRule rule) {
        data = fixture().open(rule, this::hear);
        guard = data.guard();
    }

    /** Keeps refusals. Not every guard also tells of what it is asked and lets pass. */
    private void hear(LockEvent event) {
        if (event instanceof LockEvent.StaleRefused || event instanceof LockEvent.ForeignRefused) {
            events.add(event);
        }
    }

    static FenceStamp stamp(long token) {
        return stamp("lock-of-invoices", token);
    }

    static FenceStamp stamp(String lock, long token) {
        return new FenceStamp(LockKey.of(lock), FencingToken.of(token));
    }

    final void write(long token, String value) {
        data.write(RESOURCE, stamp(token), value);
    }

    final void assertValue(String value) {
        assertThat(data.read(RESOURCE)).contains(value);
    }

    final void assertHighest(long token) {
        assertThat(guard.highest(RESOURCE).orElseThrow().token().value()).isEqualTo(token);
    }

    /** Does what must be refused as stale. */
    static StaleTokenException refused(Runnable act) {
        return refusedAs(StaleTokenException.class, act);
    }

    static <T extends RefusedWriteException> T refusedAs(Class<T> kind, Runnable act) {
        T refusal = catchThrowableOfType(kind, act::run);
        assertThat(refusal).as("refusal").isNotNull();
        return refusal;
    }
}
