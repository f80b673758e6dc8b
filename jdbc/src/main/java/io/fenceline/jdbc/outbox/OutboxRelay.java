package io.fenceline.jdbc.outbox;

import io.fenceline.BackendException;
import io.fenceline.FenceStamp;
import io.fenceline.guard.StaleTokenException;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the messages of an {@link Outbox}: each at least once, with its idempotency key, and those of one resource in
 * their order.
 *
 * <p>A message that fails is tried again after a growing pause; the later ones of its resource wait, those of other resources
 * go on. After the last attempt, or when the receiver refuses it for good, it is given up: it is compensated if there is a
 * {@link Compensation}, and dead else.
 *
 * <p>One relay is current. It works under a lease, and claims the fence {@code outbox/NAME} with the lease's token before its
 * first read. Each attempt begins, and each result is marked, by a guarded write. So a relay that was paused and superseded
 * begins nothing more and marks nothing, and ends with {@link StaleTokenException}. What it cannot take back is the one
 * delivery that it was in the middle of: that comes late and with a key that the receiver has seen, and carries the relay's
 * token ({@link DeliveryAttempt#relay}) for receivers that can compare it.
 *
 * <p>A crash between a delivery and its mark repeats the delivery. A message whose delivery ends the process is counted all
 * the same, and given up in the end.
 *
 * <p>One thread {@link #run}s a relay, or calls {@link #round}; everything else may be called by any thread. Messages are
 * delivered one at a time.
 */
public final class OutboxRelay implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(OutboxRelay.class.getName());

    private final Outbox outbox;
    private final DeliveryAttempts attempts;
    private final Supplier<Optional<FenceStamp>> lease;
    private final RelayOptions options;
    private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean closing;

    /** The stamp of the last claim. Used by the thread that runs. */
    private @Nullable FenceStamp claimed;

    /**
     * Creates a relay that does nothing yet.
     *
     * @param outbox whose messages
     * @param delivery sends them
     * @param lease returns the stamp of the relay's lease, or empty while it is not held. Asked before each message, so it should
     *     be quick. Two relays need leases of one lock key, and no two use one lease
     * @param options how it works
     */
    public OutboxRelay(Outbox outbox, Delivery delivery, Supplier<Optional<FenceStamp>> lease, RelayOptions options) {
        this.outbox = outbox;
        this.attempts = new DeliveryAttempts(delivery, options);
        this.lease = lease;
        this.options = options;
    }

    /**
     * Delivers until it is closed. While the lease is not held it waits; while the database cannot be reached it tries again.
     *
     * @throws StaleTokenException if another relay is current. A new relay may be run under a new lease
     * @throws io.fenceline.guard.ForeignTokenException if the outbox's relays work under another lock key
     * @throws BackendException if the database fails in a way that does not pass by itself
     * @throws InterruptedException if it is interrupted. The message in delivery may be delivered again
     * @throws IllegalStateException if it was run before
     */
    public void run() throws InterruptedException {
        if (!runner.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException(
                    "the relay of outbox '" + outbox.options().name() + "' was run before");
        }
        try {
            while (!closing) {
                if (!roundIfReachable() && !closing) {
                    options.time().delays().park(options.pollInterval().toNanos());
                }
            }
            ended.complete(null);
        } catch (InterruptedException | RuntimeException | Error e) {
            ended.completeExceptionally(e);
            throw e;
        }
    }

    /**
     * Runs on a daemon thread of its own.
     *
     * @return a stage that completes when the relay is closed, or fails with what ended it, as {@link #run} does
     */
    public CompletionStage<Void> start() {
        Thread thread = new Thread(
                this::runLogged, "fenceline-outbox-" + outbox.options().name());
        thread.setDaemon(true);
        thread.start();
        return ended.minimalCompletionStage();
    }

    private void runLogged() {
        try {
            run();
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "the relay of an outbox was interrupted", e);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "the relay of outbox '" + outbox.options().name() + "' ended", e);
        }
    }

    private boolean roundIfReachable() throws InterruptedException {
        try {
            return round();
        } catch (BackendException e) {
            if (!e.code().isTransient()) {
                throw e;
            }
            LOG.log(Level.WARNING, "the relay of outbox '" + outbox.options().name() + "' tries again", e);
            return false;
        }
    }

    /**
     * Delivers what can be delivered now, a batch at most. For a scheduler, and for tests.
     *
     * @return whether it made any attempt
     * @throws StaleTokenException if another relay is current
     * @throws BackendException if the database fails. The last message may be delivered again
     * @throws InterruptedException if it is interrupted. The message in delivery may be delivered again
     */
    public boolean round() throws InterruptedException {
        Optional<FenceStamp> held = lease.get();
        if (held.isEmpty()) {
            return false;
        }
        FenceStamp relay = held.get();
        if (!relay.equals(claimed)) {
            outbox.claim(relay);
            claimed = relay;
        }
        return deliver(relay);
    }

    private boolean deliver(FenceStamp relay) throws InterruptedException {
        Set<String> waiting = new HashSet<>();
        Optional<DeliveryMark> done = Optional.empty();
        boolean worked = false;
        for (OutboxEntry entry : outbox.ready(options.batchSize(), options.deadMessages())) {
            if (closing || !lease.get().equals(Optional.of(relay))) {
                break;
            }
            String resource = entry.message().resource();
            if (waiting.contains(resource)) {
                continue;
            }
            boolean begun = outbox.markAndBegin(relay, done, Optional.of(entry));
            done = Optional.empty();
            if (begun) {
                DeliveryMark mark = attempts.make(entry, relay);
                worked = true;
                done = Optional.of(mark);
            }
            if (done.filter(mark -> mark.letsOthersContinue(options.deadMessages()))
                    .isEmpty()) {
                waiting.add(resource);
            }
        }
        if (done.isPresent()) {
            outbox.markAndBegin(relay, done, Optional.empty());
        }
        return worked;
    }

    /** Ends the wait of an idle relay, for instance after a commit that added a message. May be called at any time. */
    public void nudge() {
        Thread thread = runner.get();
        if (thread != null) {
            options.time().delays().wake(thread);
        }
    }

    /**
     * Ends the relay after the message in delivery, which is marked. Waits for that, and interrupts it after {@link
     * RelayOptions#closeLimit}. Does nothing to the lease. Can be called again.
     */
    @Override
    public void close() {
        closing = true;
        nudge();
        Thread thread = runner.get();
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        try {
            ended.get(options.closeLimit().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            // whoever runs it was told
        }
    }
}
