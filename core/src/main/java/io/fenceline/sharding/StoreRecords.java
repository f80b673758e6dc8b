package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import java.time.Duration;
import java.util.Optional;

/**
 * Two locks in one store. That of the *record* is held by a text that names the store as a member of its set, under a random id, by which
 * it is told from another store that was recorded under the same name. The *completion* says that all stores of a generation were
 * recorded; its id is made of those of their records, so it is refused beside others. Both are held for a year, so that they outlive the
 * tokens of idle keys.
 */
record StoreRecords(Shard shard, Member member) {

    static final String PREFIX = "fenceline-shards/";

    private static final LockKey RECORD = LockKey.of(PREFIX + "record");
    private static final Duration TTL = LockOptions.MAX_TTL;

    /** A process that finds less extends the record. */
    private static final Duration LEAST_REMAINING = TTL.dividedBy(2);

    private static final int MAX_TRIES = 100;

    static boolean isRecord(LockKey key) {
        return key.value().startsWith(PREFIX);
    }

    Optional<LockRecord> lookup() {
        return shard.backend().lookup(RECORD);
    }

    boolean isOwn(LockRecord record) {
        return record.holder().equals(member.holder());
    }

    boolean hasOwn() {
        return lookup().filter(this::isOwn).isPresent();
    }

    static boolean isKeptLong(LockRecord record) {
        return record.remaining().compareTo(LEAST_REMAINING) > 0;
    }

    /** Holds the record for a year from now, in place of an older generation's, and returns its id. */
    LockId write() {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            LockId random = LockId.random();
            if (isGranted(RECORD, random)) {
                return random;
            }
            LockRecord found = lookup().orElse(null);
            if (found == null) {
                continue;
            }
            LockId lockId = found.raw().lockId();
            if (!isOwn(found)) {
                requireOlder(found);
                shard.backend().release(RECORD, lockId);
            } else if (shard.backend().extend(RECORD, lockId, TTL).isPresent()) {
                return lockId;
            }
        }
        throw new BackendException(
                ErrorCode.ABORTED, Effect.NONE, "too many processes open store '" + shard.name() + "' at once", null);
    }

    Optional<LockId> completion() {
        return shard.backend()
                .lookup(completionKey())
                .map(record -> record.raw().lockId());
    }

    /** Holds the completion for a year from now, and returns whether no other one is held. */
    boolean complete(LockId lockId) {
        boolean granted = isGranted(completionKey(), lockId);
        shard.backend().extend(completionKey(), lockId, TTL); // it may have been granted long ago
        return granted;
    }

    /** Lets the stores be recorded as another set of the same generation. */
    void releaseCompletion() {
        completion().ifPresent(lockId -> shard.backend().release(completionKey(), lockId));
    }

    private LockKey completionKey() {
        return LockKey.of(PREFIX + "complete/" + member.generation());
    }

    private boolean isGranted(LockKey key, LockId lockId) {
        return shard.backend().acquire(AcquireRequest.of(key, lockId, TTL, member.holder())) instanceof Granted;
    }

    /**
     * Returns the member that a record of another set names.
     *
     * @throws BackendException unless it is of an older generation
     */
    Member requireOlder(LockRecord record) {
        Member other = Member.of(record.holder())
                .orElseThrow(() -> misconfigured("lock '" + RECORD + "' of store '" + shard.name() + "' is held by '"
                        + record.holder() + "', and records no set of stores; release it"));
        int generation = member.generation();
        if (other.generation() > generation
                || (other.generation() == generation && !other.names().equals(member.names()))) {
            String remedy = other.generation() > generation
                    ? "update the configuration of this process"
                    : "another set of stores needs generation " + (other.generation() + 1)
                            + " in the configuration of every process";
            throw misconfigured("store '" + shard.name() + "' belongs to generation " + other.generation()
                    + " with the stores " + other.names() + ", and not to generation " + generation + " with "
                    + member.names() + "; " + remedy);
        }
        if (other.generation() == generation) {
            throw misconfigured("store '" + shard.name() + "' is recorded as '" + other.name() + "' in generation "
                    + generation
                    + ", so its address is that of another store; correct the addresses in the configuration of this process, or let"
                    + " every process use the new ones with generation " + (generation + 1));
        }
        return other;
    }

    static BackendException misconfigured(String what) {
        return new BackendException(ErrorCode.MISCONFIGURED, Effect.NONE, what, null);
    }
}
