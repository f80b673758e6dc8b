package io.fenceline.jdbc.outbox;

import io.fenceline.RetryPolicy;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.Optional;

/**
 * Options of an {@link OutboxRelay}.
 *
 * @param batchSize how many messages are read at once, fewer once their payloads have 16 MiB together
 * @param pollInterval how long an idle relay waits before it looks again; {@link OutboxRelay#nudge} ends the wait
 * @param maxAttempts after how many attempts a message is given up
 * @param retry the pauses between the attempts for one message
 * @param deadMessages what becomes of the later messages of a dead one's resource
 * @param compensation what puts things right for a message that is given up; if empty, it is dead at once
 * @param closeLimit how long {@link OutboxRelay#close} waits for the message in delivery before it interrupts
 * @param time how the relay waits
 */
public record RelayOptions(
        int batchSize,
        Duration pollInterval,
        int maxAttempts,
        RetryPolicy retry,
        DeadMessagePolicy deadMessages,
        Optional<Compensation> compensation,
        Duration closeLimit,
        TimeSource time) {

    /** A relay keeps a batch in memory. One message more is read than fits, so that a large one is not left for ever. */
    static final long BATCH_BYTES = 16L << 20;

    private static final RelayOptions DEFAULTS = new RelayOptions(
            100,
            Duration.ofSeconds(1),
            10,
            RetryPolicy.defaults().withBaseDelay(Duration.ofSeconds(1)).withMaxDelay(Duration.ofMinutes(5)),
            DeadMessagePolicy.WAIT,
            Optional.empty(),
            Duration.ofSeconds(10),
            TimeSource.system());

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is not above zero; the close limit may be zero
     */
    public RelayOptions {
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize is " + batchSize + ", at least 1 is needed");
        }
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + maxAttempts + ", at least 1 is needed");
        }
        if (pollInterval.isNegative() || pollInterval.isZero()) {
            throw new IllegalArgumentException("pollInterval is " + pollInterval + ", it must be above zero");
        }
        if (closeLimit.isNegative()) {
            throw new IllegalArgumentException("closeLimit is " + closeLimit + ", it cannot be negative");
        }
    }

    /**
     * Returns batches of 100, a look every second, 10 attempts with pauses from 1 s, doubled up to 5 minutes and half of each
     * random, successors that wait for the dead, no compensation, and 10 seconds to close.
     *
     * @return the options to start from
     */
    public static RelayOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with another batch size.
     *
     * @param newSize how many messages are read at once
     * @return a copy
     */
    public RelayOptions withBatchSize(int newSize) {
        return new RelayOptions(
                newSize, pollInterval, maxAttempts, retry, deadMessages, compensation, closeLimit, time);
    }

    /**
     * Returns these options with another pause of an idle relay.
     *
     * @param newInterval how long it waits before it looks again
     * @return a copy
     */
    public RelayOptions withPollInterval(Duration newInterval) {
        return new RelayOptions(
                batchSize, newInterval, maxAttempts, retry, deadMessages, compensation, closeLimit, time);
    }

    /**
     * Returns these options with other attempts.
     *
     * @param newMax after how many attempts a message is given up
     * @param newRetry the pauses between them
     * @return a copy
     */
    public RelayOptions withAttempts(int newMax, RetryPolicy newRetry) {
        return new RelayOptions(
                batchSize, pollInterval, newMax, newRetry, deadMessages, compensation, closeLimit, time);
    }

    /**
     * Returns these options with another choice.
     *
     * @param newPolicy what becomes of the later messages of a dead one's resource
     * @return a copy
     */
    public RelayOptions withDeadMessages(DeadMessagePolicy newPolicy) {
        return new RelayOptions(batchSize, pollInterval, maxAttempts, retry, newPolicy, compensation, closeLimit, time);
    }

    /**
     * Returns these options with a compensation.
     *
     * @param newCompensation what puts things right for a message that is given up
     * @return a copy
     */
    public RelayOptions withCompensation(Compensation newCompensation) {
        return new RelayOptions(
                batchSize,
                pollInterval,
                maxAttempts,
                retry,
                deadMessages,
                Optional.of(newCompensation),
                closeLimit,
                time);
    }

    /**
     * Returns these options with another limit.
     *
     * @param newLimit how long a close waits for the message in delivery
     * @return a copy
     */
    public RelayOptions withCloseLimit(Duration newLimit) {
        return new RelayOptions(
                batchSize, pollInterval, maxAttempts, retry, deadMessages, compensation, newLimit, time);
    }

    /**
     * Returns these options with another time, for tests.
     *
     * @param newTime how the relay waits
     * @return a copy
     */
    public RelayOptions withTime(TimeSource newTime) {
        return new RelayOptions(
                batchSize, pollInterval, maxAttempts, retry, deadMessages, compensation, closeLimit, newTime);
    }
}
