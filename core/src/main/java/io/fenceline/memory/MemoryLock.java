package io.fenceline.memory;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Succession.Turnover;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One key of a {@link MemoryStore}: its counter and its last lease. Every method is atomic and reads the clock while it
 * holds the monitor; otherwise a timely extension could take effect after another thread saw the lease expired.
 */
final class MemoryLock {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MICROS_PER_MILLI = 1_000;
    private static final long UNKNOWN = -1;

    /** The time that a yielding process leaves to others. */
    private static final Duration YIELD_TIME = Duration.ofMillis(5);

    private final MemoryStore store;
    private final LockKey key;

    /** A lower bound of all its tokens, read when the first one is minted. */
    private long floor = UNKNOWN;

    private long lastToken;
    private @Nullable Grant grant;
    private long endNanos;
    private boolean forgotten;

    MemoryLock(MemoryStore store, LockKey key) {
        this.store = store;
        this.key = key;
    }

    LockKey key() {
        return key;
    }

    /** Attempts to acquire; null if this lock was forgotten. */
    synchronized @Nullable Acquisition acquire(AcquireRequest request) {
        return forgotten ? null : answer(request, store.nanos());
    }

    private Acquisition answer(AcquireRequest request, long now) {
        Grant running = running(now);
        if (running == null) {
            return new Acquisition.Granted(grant(request, now));
        }
        if (running.lockId().equals(request.lockId())) {
            return new Acquisition.Granted(running);
        }
        return new Acquisition.Contended(Duration.ofNanos(endNanos - now), Optional.of(running.holder()));
    }

    synchronized @Nullable Instant extend(LockId lockId, long ttlMillis) {
        long now = store.nanos();
        Grant old = running(now);
        if (old == null || !old.lockId().equals(lockId)) {
            return null;
        }
        if (now + ttlMillis * NANOS_PER_MILLI - endNanos <= 0) {
            return old.expiresAt(); // never back: this request may be late
        }
        return moveEnd(old, now, ttlMillis);
    }

    private Instant moveEnd(Grant old, long now, long millis) {
        Instant end = Instant.ofEpochMilli(store.millis() + millis);
        grant = new Grant(key, old.lockId(), old.holder(), old.token(), old.tokens(), old.acquiredAt(), end);
        endNanos = now + millis * NANOS_PER_MILLI;
        return end;
    }

    synchronized boolean release(LockId lockId) {
        Grant running = running(store.nanos());
        if (running == null || !running.lockId().equals(lockId)) {
            return false;
        }
        end();
        return true;
    }

    synchronized boolean releaseAfter(LockId lockId, long restMillis) {
        long now = store.nanos();
        Grant running = running(now);
        if (running == null || !running.lockId().equals(lockId)) {
            return false;
        }
        moveEnd(running, now, restMillis);
        return true;
    }

    /** Ends a lease and attempts to acquire in one step; null if this lock was forgotten. */
    synchronized @Nullable Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        if (forgotten) {
            return null;
        }
        long now = store.nanos();
        Grant running = running(now);
        boolean ours = running != null && running.lockId().equals(last);
        if (ours && yielding && store.listeners().anyFor(key)) {
            end();
            return new Turnover(true, new Acquisition.Contended(YIELD_TIME, Optional.empty()));
        }
        if (ours) {
            return new Turnover(true, new Acquisition.Granted(grant(next, now)));
        }
        return new Turnover(false, answer(next, now));
    }

    /** Ends a lease and spends a token; null if the lock is free. */
    synchronized @Nullable LockRecord forceRelease() {
        LockRecord ended = read();
        if (ended != null) {
            lastToken = requireWithinLimit(firstToken(1, store.millis()));
            end();
        }
        return ended;
    }

    synchronized boolean isHeld() {
        return running(store.nanos()) != null;
    }

    synchronized @Nullable LockRecord read() {
        long now = store.nanos();
        Grant running = running(now);
        return running == null ? null : new LockRecord(running, Duration.ofNanos(endNanos - now), store.redaction());
    }

    synchronized @Nullable FencingToken lastToken() {
        return lastToken == 0 ? null : FencingToken.of(lastToken);
    }

    /** Raises the counter and returns it; null if this lock was forgotten. */
    synchronized @Nullable FencingToken raiseToken(FencingToken atLeast) {
        if (forgotten) {
            return null;
        }
        lastToken = Math.max(lastToken, atLeast.value());
        return FencingToken.of(lastToken);
    }

    synchronized void forgetIfIdle() {
        if (!forgotten && running(store.nanos()) == null) {
            end();
        }
    }

    private @Nullable Grant running(long now) {
        return grant != null && endNanos - now > 0 ? grant : null;
    }

    private Grant grant(AcquireRequest request, long now) {
        long millis = store.millis();
        long first = firstToken(request.tokens(), millis);
        int tokens = store.tokenMode().count(first, millis * MICROS_PER_MILLI, request.tokens());
        long last = requireWithinLimit(first + tokens - 1);
        long ttlMillis = request.ttlMillis();
        Grant granted = new Grant(
                key,
                request.lockId(),
                request.holder(),
                FencingToken.of(first),
                tokens,
                Instant.ofEpochMilli(millis),
                Instant.ofEpochMilli(millis + ttlMillis));
        lastToken = last;
        endNanos = now + ttlMillis * NANOS_PER_MILLI;
        grant = granted;
        return granted;
    }

    /** Returns the first of the next tokens, without taking them. */
    private long firstToken(int tokens, long millis) {
        if (floor == UNKNOWN) {
            floor = store.forgottenFloor();
        }
        return Math.max(floor + 1, store.tokenMode().first(lastToken, millis * MICROS_PER_MILLI, tokens));
    }

    private long requireWithinLimit(long last) {
        if (last > FencingToken.MAX_VALUE) {
            throw new BackendException(
                    ErrorCode.INTERNAL, Effect.NONE, "the fencing tokens of lock '" + key + "' are used up", null);
        }
        return last;
    }

    /** Ends the lease. A free key whose tokens are below the clock is forgotten, since the next token is greater anyway. */
    private void end() {
        grant = null;
        if (store.tokenMode() == TokenMode.CLOCK_FLOOR
                && lastToken * TokenMode.MICROS_PER_STEP <= store.millis() * MICROS_PER_MILLI) {
            forgotten = true;
            store.forget(this, lastToken);
        }
    }
}
