package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockCatalog;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Records in every store which stores belong together in a generation, and refuses a set of stores that contradicts the records. Each
 * record is a lock key that was held once: stores keep the counters of all keys.
 */
final class Membership {

    private static final String PREFIX = "fenceline-shards/";
    private static final int MANY = 10_000;
    private static final int MAX_TRIES = 1000;
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Holder HOLDER = Holder.of("sharding");

    private final int generation;
    private final String names;

    Membership(int generation, Collection<Shard> shards) {
        this.generation = generation;
        this.names = shards.stream().map(Shard::name).collect(Collectors.joining(","));
    }

    static boolean isRecord(LockKey key) {
        return key.value().startsWith(PREFIX);
    }

    /**
     * Checks the records of a store.
     *
     * @throws BackendException if a later generation is recorded, or other stores for this one
     */
    void check(Shard shard) {
        LockCatalog catalog = shard.backend()
                .ability(LockCatalog.class)
                .orElseThrow(() -> new IllegalArgumentException(
                        "store '" + shard.name() + "' cannot list its locks, so it cannot be one of several"));
        for (LockCatalog.KeyToken record : catalog.tokens(PREFIX, "", MANY)) {
            ensureAgrees(shard, record.key().value().substring(PREFIX.length()));
        }
    }

    /**
     * Records this set of stores on one of them. Check again afterwards: of two sets of stores that are opened at a time, at least one then
     * sees the other.
     *
     * @return the token of the record, which shows how the store makes tokens
     */
    FencingToken record(Shard shard) {
        LockKey key = LockKey.of(PREFIX + generation + "/" + names);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            LockId id = LockId.random();
            if (shard.backend().acquire(AcquireRequest.of(key, id, TTL, HOLDER)) instanceof Granted granted) {
                shard.backend().release(key, id);
                return granted.grant().token();
            }
            Optional<LockRecord> other = shard.backend().lookup(key); // another process records the same
            if (other.isPresent()) {
                return other.get().token();
            }
        }
        throw new BackendException(
                ErrorCode.ABORTED, Effect.NONE, "too many processes open store '" + shard.name() + "' at once", null);
    }

    private void ensureAgrees(Shard shard, String record) {
        int slash = record.indexOf('/');
        int recorded = Integer.parseInt(record.substring(0, slash));
        String itsNames = record.substring(slash + 1);
        if (recorded > generation || (recorded == generation && !itsNames.equals(names))) {
            String remedy = recorded > generation
                    ? "update the configuration of this process"
                    : "another set of stores needs generation " + (recorded + 1)
                            + " in the configuration of every process";
            throw new BackendException(
                    ErrorCode.MISCONFIGURED,
                    Effect.NONE,
                    "store '" + shard.name() + "' belongs to generation " + recorded + " with the stores " + itsNames
                            + ", and not to generation " + generation + " with " + names + "; " + remedy,
                    null);
        }
    }
}
