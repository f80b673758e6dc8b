package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;

/** A process that acquires on manual time, and no test of which leaves an interrupt behind. */
abstract class AcquireCase {

    static final LockOptions ONE_SECOND = OPTIONS.withMaxWait(Duration.ofSeconds(1))
            .withRetry(OPTIONS.retry().withBaseDelay(Duration.ofMillis(400)).withBackoff(RetryPolicy.Backoff.FIXED));
    static final LockOptions NO_WAIT = OPTIONS.withMaxWait(Duration.ZERO);

    final Bench bench = Bench.polling();

    /** Whether a release was asked for by an interrupted thread, for which real drivers do not wait. */
    final AtomicBoolean interruptedRelease = new AtomicBoolean();

    @AfterEach
    void noReleaseWasInterrupted() {
        assertThat(Thread.interrupted()).as("interrupt status left behind").isFalse();
        assertThat(interruptedRelease).isFalse();
    }

    Background<Lease> waitFor(LockOptions options) {
        return Background.start(() -> bench.locks.acquire(NAME, options));
    }

    /** Lets a waiter pause, checks for how long, and ends its pause. */
    void passToNextAttempt(long expectedMillis) {
        bench.time.awaitParked(1);
        assertThat(bench.nextWake()).isEqualTo(Duration.ofMillis(expectedMillis));
        bench.time.advance(bench.nextWake());
    }
}
