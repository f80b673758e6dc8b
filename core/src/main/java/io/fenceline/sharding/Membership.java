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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Records in every store which stores belong together in a generation and which of them it is, and refuses a set of stores that contradicts the
 * records. Each record is a lock key that was held once: stores keep the counters of all keys. Fresh stores get the first record before the first change.
 * A further one is made on request only, since it shuts out all processes with an older configuration.
 */
final class Membership {

    private static final String PREFIX = "fenceline-shards/";
    private static final Pattern RECORD = Pattern.compile(Pattern.quote(PREFIX) + "([0-9]{1,2})/([^/]+)/([^/]+)");
    private static final int MANY = 10_000;
    private static final int MAX_TRIES = 1000;
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Holder HOLDER = Holder.of("sharding");

    private final int generation;
    private final List<Shard> shards;
    private final String names;
    private final ReentrantLock recording = new ReentrantLock();
    private volatile boolean recorded;
    private volatile boolean counted;

    Membership(int generation, List<Shard> shards) {
        this.generation = generation;
        this.shards = shards;
        this.names = shards.stream().map(Shard::name).collect(Collectors.joining(","));
    }

    /** A set of stores that was opened, as a store recorded it. */
    private record Opened(int generation, String names, String itsName) {}

    static boolean isRecord(LockKey key) {
        return key.value().startsWith(PREFIX);
    }

    /**
     * Checks the records, and writes none.
     *
     * @return an older set of stores that is not followed by this one yet
     * @throws BackendException if a later generation is recorded, or other stores or another name for this one
     */
    Optional<String> check() {
        List<Opened> all =
                shards.stream().flatMap(shard -> check(shard).stream()).toList();
        return all.stream().anyMatch(opened -> opened.generation() == generation)
                ? Optional.empty()
                : all.stream()
                        .max(Comparator.comparingInt(Opened::generation))
                        .map(older -> "the stores belong to generation " + older.generation() + " with " + older.names()
                                + ", which generation " + generation + " with " + names + " has not followed yet");
    }

    private static LockCatalog catalog(Shard shard) {
        return shard.backend()
                .ability(LockCatalog.class)
                .orElseThrow(() -> new IllegalArgumentException(
                        "store '" + shard.name() + "' cannot list its locks, so it cannot be one of several"));
    }

    private LockKey recordOf(String name) {
        return LockKey.of(PREFIX + generation + "/" + names + "/" + name);
    }

    private List<Opened> check(Shard shard) {
        List<Opened> records = catalog(shard).tokens(PREFIX, "", MANY).stream()
                .map(record -> RECORD.matcher(record.key().value()))
                .filter(Matcher::matches)
                .map(record -> new Opened(Integer.parseInt(record.group(1)), record.group(2), record.group(3)))
                .toList();
        records.forEach(record -> ensureAgrees(shard, record));
        return records;
    }

    /**
     * Records this set of stores before its first change.
     *
     * @throws BackendException if there is another set that it does not follow yet, or as {@link #check} does
     */
    void ensureRecorded() {
        if (recorded) {
            return;
        }
        recording.lock();
        try {
            if (!recorded) {
                check().ifPresent(other -> {
                    throw misconfigured(
                            other
                                    + "; correct the configuration of this process, or run 'fenceline schema install' with it once");
                });
                writeRecords();
            }
        } finally {
            recording.unlock();
        }
    }

    /** Records this set of stores, also as the next after another one. Of two sets that do so at a time, at least one then sees the other. */
    void record() {
        check();
        writeRecords();
    }

    private void writeRecords() {
        List<Boolean> kinds = shards.stream()
                .map(shard -> Generation.isCounted(record(shard)))
                .toList();
        check();
        if (kinds.stream().distinct().count() > 1) {
            throw new IllegalArgumentException(
                    "stores '" + shards.get(kinds.indexOf(true)).name() + "' and '"
                            + shards.get(kinds.indexOf(false)).name()
                            + "' make tokens in different ways, a counter and a clock floor; a key could not move between them");
        }
        counted = kinds.get(0);
        recorded = true;
    }

    /** Returns whether the stores count tokens, and have no clock floor. Known once they were recorded. */
    boolean isCounted() {
        return counted;
    }

    /** Returns the token of the record, which shows how the store makes tokens. */
    private FencingToken record(Shard shard) {
        shards.stream()
                .map(Shard::name)
                .filter(name -> !name.equals(shard.name())
                        && catalog(shard).lastToken(recordOf(name)).isPresent())
                .findFirst()
                .ifPresent(
                        other -> { // one address was given twice
                            throw otherName(shard, other);
                        });
        LockKey key = recordOf(shard.name());
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

    private void ensureAgrees(Shard shard, Opened record) {
        if (record.generation() > generation
                || (record.generation() == generation && !record.names().equals(names))) {
            String remedy = record.generation() > generation
                    ? "update the configuration of this process"
                    : "another set of stores needs generation " + (record.generation() + 1)
                            + " in the configuration of every process";
            throw misconfigured("store '" + shard.name() + "' belongs to generation " + record.generation()
                    + " with the stores " + record.names() + ", and not to generation " + generation + " with " + names
                    + "; " + remedy);
        }
        if (record.generation() == generation && !record.itsName().equals(shard.name())) {
            throw otherName(shard, record.itsName());
        }
    }

    private BackendException otherName(Shard shard, String recorded) {
        return misconfigured(
                "store '" + shard.name() + "' is recorded as '" + recorded + "' in generation " + generation
                        + ", so its address is that of another store; correct the addresses in the configuration of this process, or let"
                        + " every process use the new ones with generation " + (generation + 1));
    }

    private static BackendException misconfigured(String what) {
        return new BackendException(ErrorCode.MISCONFIGURED, Effect.NONE, what, null);
    }
}
