package io.fenceline.election;

import io.fenceline.FenceStamp;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListeners;
import io.fenceline.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a candidate: wait for the lock, claim, call {@code onElected}, wait for the end of the term, call {@code onRevoked},
 * release the lock, and start over. One thread does all of it, so callbacks cannot overlap.
 *
 * <p>Other threads only end a term or the candidacy ({@link #end}, {@link #close}): they set a flag and wake the loop, or
 * interrupt it where it waits for the lock or runs {@code onElected}.
 */
final class Candidacy {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    /** The limit of one wait for the lock; the next wait begins at once. */
    private static final Duration MAX_WAIT = Duration.ofHours(1);

    private final Locks locks;
    private final String group;
    private final LockKey key;
    private final Candidate candidate;
    private final LockOptions options;
    private final List<ElectionBuilder.Claim> claims;
    private final LeadershipListener listener;
    private final TimeSource time;
    private final LockListeners listeners;
    private final Thread thread;

    /** Guards the fields below, and that an interrupt is sent only while the loop is interruptible. */
    private final ReentrantLock lock = new ReentrantLock();

    private boolean interruptible;
    private volatile boolean closed;
    private volatile @Nullable Leadership current;

    Candidacy(
            Locks locks,
            String group,
            Candidate candidate,
            LockOptions options,
            List<ElectionBuilder.Claim> claims,
            LeadershipListener listener) {
        this.locks = locks;
        this.group = group;
        this.key = Election.keyOf(group);
        this.candidate = candidate;
        this.options = options.withMaxWait(MAX_WAIT).withHolder(candidate.holder());
        this.claims = claims;
        this.listener = listener;
        this.time = locks.time();
        this.listeners = locks.listeners();
        this.thread = new Thread(this::run, "fenceline-election-" + group);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    LockKey key() {
        return key;
    }

    Optional<Leadership> leadership() {
        return Optional.ofNullable(current);
    }

    private void run() {
        listeners.emit(new LockEvent.Joined(group, key, candidate.holder()));
        try {
            takePart();
        } finally {
            listeners.emit(new LockEvent.Left(group, key, candidate.holder()));
        }
    }

    private void takePart() {
        while (!closed) {
            try {
                interruptibly(this::win).ifPresent(this::lead);
            } catch (InterruptedException e) {
                // closed, or a stray interrupt: the loop checks its condition
            } catch (Exception | Error e) { // whatever the store threw, the candidacy continues
                if (locks.isClosed()) {
                    log(Level.DEBUG, "candidate for group '" + group + "' leaves: its locks are closed", e);
                    return;
                }
                log(Level.WARNING, "candidate for group '" + group + "' cannot take part; it tries again", e);
                backOff();
            }
        }
    }

    /** Logs. A failing logger must not end the candidacy or a term. */
    private static void log(Level level, String what, Throwable failure) {
        try {
            LOG.log(level, what, failure);
        } catch (RuntimeException | Error noLog) {
            // continues without a log
        }
    }

    private interface InterruptibleStep<T> {
        T run() throws InterruptedException;
    }

    /** Runs a step that {@link #close} may interrupt, and clears the interrupt status afterwards. */
    private <T> T interruptibly(InterruptibleStep<T> step) throws InterruptedException {
        setInterruptible(true);
        try {
            if (closed) {
                throw new InterruptedException("closed");
            }
            return step.run();
        } finally {
            setInterruptible(false);
        }
    }

    private void setInterruptible(boolean value) {
        lock.lock();
        try {
            interruptible = value;
            if (!value) {
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    private Optional<Lease> win() throws InterruptedException {
        if (!candidate.hesitation().isZero()) {
            return new Vacancy(locks, key.value(), candidate.hesitation()).fill(options);
        }
        try {
            return Optional.of(locks.acquire(key.value(), options));
        } catch (LockTimeoutException notYet) {
            return Optional.empty();
        }
    }

    private void lead(Lease lease) {
        boolean backsOff;
        try (lease) { // releases in any case: a lease that is renewed for ever would block the group
            backsOff = runTerm(lease);
        } finally {
            current = null;
        }
        if (backsOff) {
            backOff();
        }
    }

    /** Runs a term. Returns whether other candidates go first afterwards. */
    private boolean runTerm(Lease lease) {
        Leadership term = new Leadership(group, lease, this::end);
        if (!claim(term)) {
            return true;
        }
        if (closed) {
            return false;
        }
        lease.lost().thenAccept(loss -> end(term, RevocationReason.LEASE_LOST));
        current = term;
        if (closed) {
            end(term, RevocationReason.CLOSED);
        }
        elect(term);
        RevocationReason reason = awaitEnd(term);
        revoke(term, reason);
        return reason == RevocationReason.STEPPED_DOWN || reason == RevocationReason.LISTENER_FAILED;
    }

    private boolean claim(Leadership term) {
        try {
            for (ElectionBuilder.Claim claim : claims) {
                claim.guard().claimAll(claim.resources(), term.lease().stamp());
            }
            return true;
        } catch (StaleTokenException e) {
            if (term.isLeading() && listeners.isOn()) {
                listeners.emit(new LockEvent.TokenRegressed(e.resource(), e.presented(), e.highest()));
            }
            log(Level.ERROR, "a new term is older than what it should lead; raise the token of '" + key + "'", e);
        } catch (Exception | Error e) {
            // Whatever a guard throws, the lease must be released without a leader.
            log(Level.ERROR, term + " is given up, because its resources cannot be claimed", e);
        }
        return false;
    }

    private void elect(Leadership term) {
        listeners.emit(new LockEvent.Elected(group, term.lease().stamp(), candidate.holder()));
        setInterruptible(true);
        try {
            if (term.ended() != null) {
                Thread.currentThread().interrupt();
            }
            runWithEvents(term);
        } catch (InterruptedException e) {
            end(term, RevocationReason.LISTENER_FAILED); // unless it was interrupted because the term had ended
        } catch (Exception | Error e) { // an error too: the leader's work is not done
            log(Level.ERROR, "onElected failed for " + term + ", which is given up", e);
            end(term, RevocationReason.LISTENER_FAILED);
        } finally {
            setInterruptible(false);
        }
    }

    /** Runs {@code onElected} and emits {@code BodyBegun} and {@code BodyEnded}. */
    private void runWithEvents(Leadership term) throws Exception {
        if (!listeners.isOn()) {
            listener.onElected(term);
            return;
        }
        FenceStamp stamp = term.lease().stamp();
        listeners.emit(new LockEvent.BodyBegun(stamp));
        Throwable error = null;
        try {
            listener.onElected(term);
        } catch (Throwable e) {
            error = e;
            throw e;
        } finally {
            listeners.emit(new LockEvent.BodyEnded(stamp, error));
        }
    }

    private RevocationReason awaitEnd(Leadership term) {
        while (true) {
            RevocationReason reason = term.ended();
            if (reason != null) {
                return reason;
            }
            try {
                time.delays().park(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                // from onElected, or stray; only the end of the term counts
            }
        }
    }

    private void revoke(Leadership term, RevocationReason reason) {
        try {
            listener.onRevoked(term, reason);
        } catch (Exception | Error e) { // an error too: the lock must be released
            log(Level.ERROR, "onRevoked failed for " + term, e);
        }
        Thread.interrupted(); // an interrupt of this term must not reach the next one
        listeners.emit(new LockEvent.Revoked(group, term.lease().stamp(), candidate.holder(), reason));
    }

    /** Pauses for one ttl, so that other candidates go first. */
    private void backOff() {
        try {
            interruptibly(() -> {
                long end = time.ticker().nanos() + options.ttl().toNanos();
                long left;
                while ((left = end - time.ticker().nanos()) > 0) {
                    time.delays().park(left);
                }
                return left;
            });
        } catch (InterruptedException e) {
            // closed: the loop checks its condition
        }
    }

    /** Ends a term, unless it has ended. */
    private void end(Leadership term, RevocationReason reason) {
        lock.lock();
        try {
            if (!term.end(reason)) {
                return;
            }
            if (interruptible && current == term && Thread.currentThread() != thread) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
        time.delays().wake(thread);
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            if (interruptible && current == null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
        Leadership term = current;
        if (term != null) {
            end(term, RevocationReason.CLOSED);
        }
        if (Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
