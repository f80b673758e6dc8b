package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A lock in each store of a set while the set is recorded: of two sets that share a store, the second one finds the records of the
 * first. Tries out the stores too, before anything is recorded.
 */
final class RecordingLock implements AutoCloseable {

    private static final LockKey KEY = LockKey.of(StoreRecords.PREFIX + "recording");

    /** Before a random text: a counter that is left behind must not be taken for the next one's, which may be made in another way. */
    private static final String PROBE = StoreRecords.PREFIX + "probe/";

    private static final Duration TTL = Duration.ofSeconds(30);

    /** Longer than a process that was killed keeps the lock. */
    private static final Duration LONGEST_WAIT = TTL.plusSeconds(5);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(60);

    private final List<Shard> shards;
    private final Function<Shard, Member> members;
    private final LockId lockId = LockId.random();

    private RecordingLock(List<Shard> shards, Function<Shard, Member> members) {
        this.shards = shards;
        this.members = members;
    }

    /**
     * Waits for the locks. Holds none while it waits, so that two sets that name the same stores in another order do not wait for each other.
     *
     * @param over asked before each attempt: ends the wait if nothing is left to record
     * @return the locks, or empty if nothing is left to record
     * @throws BackendException if other processes keep them for longer than they may
     */
    static Optional<RecordingLock> hold(List<Shard> shards, Function<Shard, Member> members, BooleanSupplier over) {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        RecordingLock lock = new RecordingLock(shards, members);
        while (!over.getAsBoolean()) {
            Optional<Shard> taken = lock.firstNotGranted();
            if (taken.isEmpty()) {
                return Optional.of(lock);
            }
            lock.close();
            if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
                throw aborted("another process records in store '" + taken.get().name()
                        + "' which stores belong together, or was killed while it did");
            }
            LockSupport.parkNanos(
                    ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toNanos(), LONGEST_PAUSE.toNanos()));
        }
        return Optional.empty();
    }

    /** Asks for the lock of each store until one is not granted. */
    private Optional<Shard> firstNotGranted() {
        boolean asked = false;
        try {
            Optional<Shard> taken = shards.stream()
                    .filter(shard -> !(shard.backend().acquire(request(shard)) instanceof Granted))
                    .findFirst();
            asked = true;
            return taken;
        } finally {
            if (!asked) {
                close();
            }
        }
    }

    private AcquireRequest request(Shard shard) {
        return AcquireRequest.of(KEY, lockId, TTL, members.apply(shard).holder());
    }

    /** Makes sure that no other process has begun to record since these locks were granted. */
    void ensureHeld() {
        for (Shard shard : shards) {
            if (shard.backend().extend(KEY, lockId, TTL).isEmpty()) {
                throw aborted("store '" + shard.name() + "' or another one took too long to reply");
            }
        }
    }

    private static BackendException aborted(String why) {
        return new BackendException(
                ErrorCode.ABORTED, Effect.NONE, why + "; try again in " + TTL.toSeconds() + " s", null);
    }

    /** Returns a token of each store, by which its kind is known. Refuses stores that do not keep what other generations read. */
    List<FencingToken> tokens() {
        return shards.stream().map(this::token).toList();
    }

    private FencingToken token(Shard shard) {
        LockKey probe = LockKey.of(PROBE + lockId.text() + "/" + shard.name());
        Member member = members.apply(shard);
        Acquisition outcome = shard.backend().acquire(AcquireRequest.of(probe, lockId, TTL, member.holder()));
        Optional<LockRecord> kept = shard.backend().lookup(probe);
        shard.backend().release(probe, lockId);
        if (kept.filter(record -> !record.holder().equals(member.holder())).isPresent()) {
            throw StoreRecords.misconfigured("store '" + shard.name()
                    + "' does not keep the holders of locks, by which several stores know each other; give it another"
                    + " layout than SyncGuard's");
        }
        if (outcome instanceof Granted granted) {
            return granted.grant().token();
        }
        throw new IllegalStateException("store '" + shard.name() + "' did not grant " + probe + ", which is new");
    }

    /** Releases the locks. One that cannot be released ends by itself. */
    @Override
    public void close() {
        for (Shard shard : shards) {
            try {
                shard.backend().release(KEY, lockId);
            } catch (BackendException e) {
                // it expires
            }
        }
    }
}
