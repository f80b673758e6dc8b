package io.fenceline.cli;

import io.fenceline.BackendException;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Ticker;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store whose outage ends a wait. The engine tries again for as long as it waits for a lock, which is without a limit
 * unless {@code -w} sets one; nobody means to wait for ever on a store that is not there.
 *
 * <p>For the one thread that waits.
 */
final class OutageLimit extends ForwardingLockBackend {

    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30);

    private final Duration limit;
    private final Ticker ticker;
    private final Consumer<BackendException> told;
    private @Nullable Long failingSince;

    /** Limits an outage to half a minute. */
    OutageLimit(LockBackend store, Consumer<BackendException> told) {
        this(store, DEFAULT_LIMIT, Ticker.system(), told);
    }

    /**
     * @param told told of the first failure of an outage, if others may follow
     */
    OutageLimit(LockBackend store, Duration limit, Ticker ticker, Consumer<BackendException> told) {
        super(store);
        this.limit = limit;
        this.ticker = ticker;
        this.told = told;
    }

    /** How long an outage lasts at the most for somebody who waits for a while. */
    static Duration within(Duration wait) {
        return wait.compareTo(DEFAULT_LIMIT) < 0 ? wait : DEFAULT_LIMIT;
    }

    /**
     * {@inheritDoc}
     *
     * @throws CommandFailure if every attempt since the limit failed
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
                    told.accept(e);
                }
            }
            if (now - failingSince >= limit.toNanos()) {
                throw new CommandFailure(
                        ExitCode.of(e.code()),
                        "gave up after the store failed for " + DurationText.of(limit) + ": " + e.getMessage(),
                        e);
            }
            throw e;
        }
    }
}
