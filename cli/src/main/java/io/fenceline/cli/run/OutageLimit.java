package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Ticker;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Backend decorator that ends the wait for a lock when an outage lasts too long. The engine alone would retry for as long as it
 * waits, which is without a limit unless {@code -w} sets one.
 *
 * <p>For use by a single waiting thread.
 */
final class OutageLimit extends ForwardingLockBackend {

    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

    private final Duration limit;
    private final Ticker ticker;
    private final Consumer<BackendException> onOutage;
    private @Nullable Long failingSince;

    OutageLimit(LockBackend backend, Consumer<BackendException> onOutage) {
        this(backend, DEFAULT_LIMIT, Ticker.system(), onOutage);
    }

    /** Limits the outages of a backend. */
    OutageLimit(LockBackend backend, Duration limit, Ticker ticker, Consumer<BackendException> onOutage) {
        super(backend);
        this.limit = limit;
        this.ticker = ticker;
        this.onOutage = onOutage;
    }

    /** The longest outage for a caller that waits for {@code wait}. */
    static Duration within(Duration wait) {
        return wait.compareTo(DEFAULT_LIMIT) < 0 ? wait : DEFAULT_LIMIT;
    }

    /**
     * {@inheritDoc}
     *
     * @throws CommandFailure if every attempt failed for the whole limit
     */
    @Override
    public Acquisition acquire(AcquireRequest request) {
        try {
            Acquisition outcome = super.acquire(request);
            failingSince = null;
            return outcome;
        } catch (BackendException e) {
            long now = ticker.nanos();
            if (failingSince == null) {
                failingSince = now;
                if (e.code().isTransient()) {
                    onOutage.accept(e);
                }
            }
            if (now - failingSince >= limit.toNanos()) {
                throw new CommandFailure(
                        ExitCode.of(e),
                        "gave up: the store has been failing for " + DurationText.of(limit) + ": " + e.getMessage(),
                        e);
            }
            throw e;
        }
    }
}
