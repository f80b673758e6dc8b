package io.fenceline.memory;

import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockCatalog.KeyToken;
import io.fenceline.spi.Succession.Turnover;
import io.fenceline.spi.TokenMode;
import io.fenceline.time.Ticker;
import io.fenceline.time.WallClock;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The store behind {@link MemoryLockBackend}s; simulates a server.
 *
 * <p>Its ticker is the server's clock: it alone decides when a lease ends. Its wall clock is used for display and for
 * {@link TokenMode#CLOCK_FLOOR}; setting it back neither prolongs a lease nor repeats a token.
 *
 * <p>With {@link TokenMode#COUNTER} every key that was ever granted keeps its counter, some hundred bytes. With {@link
 * TokenMode#CLOCK_FLOOR} idle keys are forgotten. There is no audit record.
 */
public final class MemoryStore {

    /*
     * A MemoryLock guards its own state by its monitor. The map's entry of a key is created by computeIfAbsent, and removed
     * by a lock that forgets itself while it holds its monitor; so a monitor may be held when the map's own locks are taken,
     * never the other way round. A thread that finds a forgotten lock looks the key up again if it wants to write.
     */

    private static final int MIN_FRESH_KEYS_BETWEEN_SWEEPS = 1024;

    private final ConcurrentHashMap<LockKey, MemoryLock> locks = new ConcurrentHashMap<>();
    private final ReleaseListeners listeners = new ReleaseListeners();
    private final Redaction redaction = Redaction.withRandomSecret();
    private final TokenMode tokenMode;
    private final Ticker ticker;
    private final WallClock wallClock;

    /** The greatest token of all forgotten keys. */
    private final AtomicLong forgottenFloor = new AtomicLong();

    private final AtomicInteger freshKeysUntilSweep = new AtomicInteger(MIN_FRESH_KEYS_BETWEEN_SWEEPS);

    /**
     * Creates an empty store.
     *
     * @param tokenMode the token mode
     * @param ticker the server's clock
     * @param wallClock the server's wall clock
     */
    public MemoryStore(TokenMode tokenMode, Ticker ticker, WallClock wallClock) {
        this.tokenMode = tokenMode;
        this.ticker = ticker;
        this.wallClock = wallClock;
    }

    /**
     * Creates an empty store on system time, with counter tokens.
     *
     * @return the store
     */
    public static MemoryStore create() {
        return new MemoryStore(TokenMode.COUNTER, Ticker.system(), WallClock.system());
    }

    /**
     * Returns the number of stored keys, held or not.
     *
     * @return the number of keys
     */
    public int size() {
        return locks.size();
    }

    Acquisition acquire(AcquireRequest request) {
        while (true) {
            Acquisition answer = lockOf(request.key()).acquire(request);
            if (answer != null) {
                return answer;
            }
        }
    }

    Optional<Instant> extend(LockKey key, LockId lockId, long ttlMillis) {
        MemoryLock lock = locks.get(key);
        return lock == null ? Optional.empty() : Optional.ofNullable(lock.extend(lockId, ttlMillis));
    }

    boolean release(LockKey key, LockId lockId) {
        MemoryLock lock = locks.get(key);
        boolean released = lock != null && lock.release(lockId);
        if (released) {
            listeners.signalReleased(key);
        }
        return released;
    }

    boolean releaseAfter(LockKey key, LockId lockId, long restMillis) {
        MemoryLock lock = locks.get(key);
        boolean kept = lock != null && lock.releaseAfter(lockId, restMillis);
        if (kept) {
            listeners.signalReleased(key);
        }
        return kept;
    }

    Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        while (true) {
            Turnover turnover = lockOf(next.key()).succeed(last, next, yielding);
            if (turnover != null) {
                if (turnover.released() && turnover.outcome() instanceof Acquisition.Contended) {
                    listeners.signalReleased(next.key());
                }
                return turnover;
            }
        }
    }

    Optional<LockRecord> lookup(LockKey key) {
        MemoryLock lock = locks.get(key);
        return lock == null ? Optional.empty() : Optional.ofNullable(lock.read());
    }

    Optional<LockRecord> lookup(LockId lockId) {
        return running().filter(found -> found.raw().lockId().equals(lockId)).findFirst();
    }

    boolean isLocked(LockKey key) {
        MemoryLock lock = locks.get(key);
        return lock != null && lock.isHeld();
    }

    /** Returns whether a lease of the key may have ended; false for a key that was never granted. */
    boolean mayHaveEnded(LockKey key) {
        MemoryLock lock = locks.get(key);
        return lock == null ? forgottenFloor.get() > 0 : !lock.isHeld();
    }

    List<LockRecord> list(String prefix, int limit) {
        return running()
                .filter(found -> found.raw().key().value().startsWith(prefix))
                .sorted(Comparator.comparing(found -> bytes(found.raw().key().value()), Arrays::compareUnsigned))
                .limit(limit)
                .toList();
    }

    List<KeyToken> tokens(String prefix, String after, int limit) {
        return locks.values().stream()
                .filter(lock -> lock.key().value().startsWith(prefix))
                .filter(lock -> Arrays.compareUnsigned(bytes(lock.key().value()), bytes(after)) > 0)
                .sorted(Comparator.comparing(lock -> bytes(lock.key().value()), Arrays::compareUnsigned))
                .flatMap(lock -> Stream.ofNullable(lock.lastToken()).map(last -> new KeyToken(lock.key(), last)))
                .limit(limit)
                .toList();
    }

    /** The bytes of UTF-8 sort by code points, as on most servers; {@link String} does not. */
    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    Optional<FencingToken> lastToken(LockKey key) {
        MemoryLock lock = locks.get(key);
        return lock == null ? Optional.empty() : Optional.ofNullable(lock.lastToken());
    }

    FencingToken raiseToken(LockKey key, FencingToken atLeast) {
        while (true) {
            FencingToken now = lockOf(key).raiseToken(atLeast);
            if (now != null) {
                return now;
            }
        }
    }

    Optional<LockRecord> forceRelease(LockKey key) {
        MemoryLock lock = locks.get(key);
        LockRecord ended = lock == null ? null : lock.forceRelease();
        if (ended != null) {
            listeners.signalReleased(key);
        }
        return Optional.ofNullable(ended);
    }

    /** The greatest token of all forgotten locks. */
    long forgottenFloor() {
        return forgottenFloor.get();
    }

    ReleaseListeners listeners() {
        return listeners;
    }

    TokenMode tokenMode() {
        return tokenMode;
    }

    long nanos() {
        return ticker.nanos();
    }

    long millis() {
        return wallClock.millis();
    }

    Redaction redaction() {
        return redaction;
    }

    /** Removes a forgotten lock. Later locks of the same key start above the token. */
    void forget(MemoryLock lock, long lastToken) {
        forgottenFloor.accumulateAndGet(lastToken, Math::max);
        locks.remove(lock.key(), lock);
    }

    private MemoryLock lockOf(LockKey key) {
        MemoryLock known = locks.get(key);
        return known != null ? known : freshLockOf(key);
    }

    private MemoryLock freshLockOf(LockKey key) {
        if (tokenMode == TokenMode.CLOCK_FLOOR && freshKeysUntilSweep.decrementAndGet() == 0) {
            locks.values().forEach(MemoryLock::forgetIfIdle);
            freshKeysUntilSweep.set(Math.max(MIN_FRESH_KEYS_BETWEEN_SWEEPS, locks.size()));
        }
        return locks.computeIfAbsent(key, absent -> new MemoryLock(this, absent));
    }

    private Stream<LockRecord> running() {
        return locks.values().stream().map(MemoryLock::read).filter(Objects::nonNull);
    }
}
