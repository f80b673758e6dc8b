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
 * The loop of a candidate: wait for the lock, claim, tell the listener, wait for the end of the term, tell the listener, let
 * the others in, and begin again. All of it is done by one thread, which is why callbacks cannot overlap.
 *
 * <p>Other threads only end a term or the candidacy ({@link #end}, {@link #close}): they set a flag and wake the loop, or
 * interrupt it where it waits for the lock or runs {@code onElected}.
 */
final class Candidacy {

    private static final System.Logger LOG = System.getLogger("io.fenceline");

    /** A wait for the lock has to end some time; the next one begins at once. */
    private static final Duration LONG = Duration.ofHours(1);

    private static final Duration LOOK = Duration.ofMillis(250);

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

    /** Guards what follows, and that an interrupt comes only while the loop can be interrupted. */
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
        this.options = options.withMaxWait(LONG).withHolder(candidate.holder());
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
        if (listeners.isOn()) {
            listeners.emit(new LockEvent.Joined(group, key, candidate.holder()));
        }
        try {
            takePart();
        } finally {
            if (listeners.isOn()) {
                listeners.emit(new LockEvent.Left(group, key, candidate.holder()));
            }
        }
    }

    private void takePart() {
        while (!closed) {
            try {
                Optional<Lease> won = interruptibly(this::win);
                won.ifPresent(this::lead);
            } catch (InterruptedException e) {
                // closed, or interrupted by somebody else: the loop's condition knows
            } catch (RuntimeException | Error e) { // whatever the store threw: nobody else would begin again
                if (locks.isClosed()) {
                    log(Level.DEBUG, "candidate for group '" + group + "' leaves: its locks are closed", e);
                    return;
                }
                log(Level.WARNING, "candidate for group '" + group + "' cannot take part; it tries again", e);
                standBack();
            }
        }
    }

    /** A logger that fails must end neither the candidacy nor what follows in a term. */
    private static void log(Level level, String what, Throwable failure) {
        try {
            LOG.log(level, what, failure);
        } catch (RuntimeException | Error noLog) {
            // the candidate goes on
        }
    }

    private interface Step<T> {
        T run() throws InterruptedException;
    }

    /** Runs a step that {@link #close} may interrupt; leaves no interrupt behind. */
    private <T> T interruptibly(Step<T> step) throws InterruptedException {
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
            awaitVacancy();
            return locks.tryAcquire(key.value(), options);
        }
        try {
            return Optional.of(locks.acquire(key.value(), options));
        } catch (LockTimeoutException notYet) {
            return Optional.empty();
        }
    }

    /** Looks again and again until the group was without a leader for as long as this candidate hesitates. */
    private void awaitVacancy() throws InterruptedException {
        long hesitation = candidate.hesitation().toNanos();
        long vacantSince = time.ticker().nanos();
        while (true) {
            if (locks.isClosed()) {
                throw new IllegalStateException("the locks are closed");
            }
            long now = time.ticker().nanos();
            if (locks.lookup(key.value()).isPresent()) {
                vacantSince = now;
            } else if (now - vacantSince >= hesitation) {
                return;
            }
            time.delays().park(Math.min(LOOK.toNanos(), hesitation));
        }
    }

    private void lead(Lease lease) {
        boolean standsBack;
        try (lease) { // whatever fails: nobody could lead under a lease that is renewed for ever
            standsBack = ledToTheEnd(lease);
        } finally {
            current = null;
        }
        if (standsBack) {
            standBack();
        }
    }

    /** Goes through a term; answers whether the others shall go first afterwards. */
    private boolean ledToTheEnd(Lease lease) {
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
        } catch (RuntimeException | Error e) {
            // Whatever a guard throws, the lease must not stay with somebody who does not lead.
            log(Level.ERROR, term + " is given up, because its resources cannot be claimed", e);
        }
        return false;
    }

    private void elect(Leadership term) {
        if (listeners.isOn()) {
            listeners.emit(new LockEvent.Elected(group, term.lease().stamp(), candidate.holder()));
        }
        setInterruptible(true);
        try {
            if (term.ended() != null) {
                Thread.currentThread().interrupt();
            }
            told(term);
        } catch (InterruptedException e) {
            end(term, RevocationReason.LISTENER_FAILED); // unless it was interrupted because the term had ended
        } catch (Exception | Error e) { // an error too: whatever ended onElected, nobody does the leader's work
            log(Level.ERROR, "onElected failed for " + term + ", which is given up", e);
            end(term, RevocationReason.LISTENER_FAILED);
        } finally {
            setInterruptible(false);
        }
    }

    /** Runs {@code onElected} between the events that tell of it. */
    private void told(Leadership term) throws Exception {
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
                // of onElected, or by somebody else; the term's end is what counts
            }
        }
    }

    private void revoke(Leadership term, RevocationReason reason) {
        try {
            listener.onRevoked(term, reason);
        } catch (RuntimeException | Error e) { // an error too: the candidate has to let the others in
            log(Level.ERROR, "onRevoked failed for " + term, e);
        }
        Thread.interrupted(); // what the listener left behind is not meant for the next term
        if (listeners.isOn()) {
            listeners.emit(new LockEvent.Revoked(group, term.lease().stamp(), candidate.holder(), reason));
        }
    }

    /** Lets the others go first. */
    private void standBack() {
        try {
            interruptibly(() -> {
                long begin = time.ticker().nanos();
                long left = options.ttl().toNanos();
                while (left > 0) {
                    time.delays().park(left);
                    left = options.ttl().toNanos() - (time.ticker().nanos() - begin);
                }
                return left;
            });
        } catch (InterruptedException e) {
            // closed; the loop's condition knows
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
