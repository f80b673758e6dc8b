package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records in every store which stores belong together in a generation and which of them it is, and refuses a set of stores that contradicts the
 * records. The record is a lock that is held for a year, so that it outlives the tokens of idle keys. Fresh stores get it before the first change.
 * One of an older generation is replaced on request only, since that shuts out all processes with the older configuration. A second lock says
 * that all stores have had their record: one without it then is not fresh.
 */
final class Membership {

    static final String PREFIX = "fenceline-shards/";
    private static final LockKey RECORD = LockKey.of(PREFIX + "record");

    /** Before the generation: a lock that is held like the record, once every store has that. */
    private static final String COMPLETE = PREFIX + "complete/";

    private static final Duration TTL = LockOptions.MAX_TTL;

    /** A process that finds less extends the record. */
    private static final Duration LEAST_REMAINING = TTL.dividedBy(2);

    private static final int MAX_TRIES = 100;

    private final int generation;
    private final List<Shard> shards;
    private final String names;
    private final FirstRecording first = new FirstRecording(this::recordFirst);
    private volatile boolean recorded;
    private volatile boolean counted;

    /** That the stores make tokens in different ways, once it is known. */
    private volatile @Nullable Problem mixed;

    /** A reason why a set of stores cannot be used, with what to do. */
    record Problem(String what, String remedy) {
        @Override
        public String toString() {
            return what + "; " + remedy;
        }
    }

    Membership(int generation, List<Shard> shards) {
        this.generation = generation;
        this.shards = shards;
        this.names = Member.shortened(shards.stream().map(Shard::name).collect(Collectors.joining(",")));
    }

    static boolean isRecord(LockKey key) {
        return key.value().startsWith(PREFIX);
    }

    /**
     * Checks the records, and writes none. If every store has the record of this set, nothing needs to be recorded later.
     *
     * @return an older set of stores that is not followed by this one yet, a store whose record was lost, or stores that were found not
     *     to fit
     * @throws BackendException if a later generation is recorded, or other stores or another name for this one
     */
    Optional<Problem> check() {
        if (mixed != null) {
            return Optional.ofNullable(mixed);
        }
        Map<Shard, LockRecord> own = new LinkedHashMap<>();
        List<Member> older = new ArrayList<>();
        for (Shard shard : shards) {
            Optional<LockRecord> record = shard.backend().lookup(RECORD);
            if (record.isPresent() && isOf(shard, record.get())) {
                own.put(shard, record.get());
            } else if (record.isPresent()) {
                older.add(requireOlder(shard, record.get()));
            }
        }
        boolean complete = !own.isEmpty() && isComplete(own.keySet());
        if (complete && own.size() < shards.size()) {
            return lostRecord();
        }
        List<FencingToken> tokens = own.values().stream().map(LockRecord::token).toList();
        if (complete
                && own.values().stream().allMatch(record -> record.remaining().compareTo(LEAST_REMAINING) > 0)
                && areMadeInOneWay(tokens)) {
            accept(tokens);
        }
        return !own.isEmpty()
                ? Optional.empty()
                : older.stream()
                        .max(Comparator.comparingInt(Member::generation))
                        .flatMap(this::notFollowed);
    }

    /** Looks again if this set was recorded once: an installation may have ended since the first look. */
    private Optional<Problem> notFollowed(Member other) {
        boolean usedBefore = isComplete(shards);
        if (usedBefore && shards.stream().anyMatch(this::hasOwnRecord)) {
            return Optional.empty();
        }
        String what = "the stores belong to generation " + other.generation() + " with " + other.names()
                + ", which generation " + generation + " with " + names + " has not followed yet";
        String remedy = usedBefore
                ? "generation " + generation + " was in use before, so let all processes use generation "
                        + (generation + 1) + " after 'fenceline schema install'"
                : "correct the configuration of this process, or run 'fenceline schema install' with it once";
        return Optional.of(new Problem(what, remedy));
    }

    private Member member(Shard shard) {
        return new Member(generation, names, shard.name());
    }

    /** Compares lock ids: some layouts keep no holder. */
    private boolean isOf(Shard shard, LockRecord record) {
        return record.raw().lockId().equals(member(shard).lockId());
    }

    /** Looks again: since the first look, another process may have recorded the last stores. */
    private Optional<Problem> lostRecord() {
        return shards.stream()
                .filter(shard -> !hasOwnRecord(shard))
                .findFirst()
                .map(shard -> new Problem(
                        "store '" + shard.name() + "' has no record of generation " + generation
                                + ", as every store of it had: its address is that of another store, or it has lost its data",
                        "correct its address, or let all processes use generation " + (generation + 1)
                                + " after 'fenceline schema install'; where tokens follow the clock, as on Redis, that command is"
                                + " enough for a store without its data"));
    }

    private boolean hasOwnRecord(Shard shard) {
        return shard.backend()
                .lookup(RECORD)
                .filter(record -> isOf(shard, record))
                .isPresent();
    }

    private boolean isComplete(Collection<Shard> stores) {
        return stores.stream()
                .anyMatch(shard -> shard.backend().lookup(complete()).isPresent());
    }

    private LockKey complete() {
        return LockKey.of(COMPLETE + generation);
    }

    /**
     * Records this set of stores before its first change.
     *
     * @param timeout how long to wait for that; it goes on afterwards
     * @return what is left of the timeout, above zero
     * @throws BackendException if there is another set that it does not follow yet, or as {@link #check} does
     */
    Duration ensureRecorded(Duration timeout) {
        return recorded ? timeout : first.await(timeout);
    }

    /** Lets a recording end: what it left behind would be in the next process's way. */
    void close() {
        first.close();
    }

    private void recordFirst() {
        try (RecordingLock lock =
                RecordingLock.hold(shards, this::member, this::isRecordedNow).orElse(null)) {
            if (lock != null && !isRecordedNow()) { // another process may have recorded a set since
                writeRecords(lock, tokensOfOneKind(lock));
            }
        }
    }

    private boolean isRecordedNow() {
        requireNoProblem();
        return recorded;
    }

    /** Returns whether this process has found or made all records. Nothing is asked of them any more then. */
    boolean isRecorded() {
        return recorded;
    }

    /** @throws BackendException if a lock would be refused */
    void requireNoProblem() {
        check().ifPresent(problem -> {
            throw misconfigured(problem.toString());
        });
    }

    /**
     * Records this set of stores, also as the next after another one.
     *
     * @throws BackendException also if a store has lost its record and tokens are counted: they would fall
     */
    void record() {
        try (RecordingLock lock =
                RecordingLock.hold(shards, this::member, () -> false).orElseThrow()) {
            Optional<Problem> problem = check();
            List<FencingToken> tokens = tokensOfOneKind(lock);
            if (problem.isPresent() && isComplete(shards) && Generation.isCounted(tokens.get(0))) {
                throw misconfigured(problem.get().toString());
            }
            writeRecords(lock, tokens);
        }
    }

    private void writeRecords(RecordingLock lock, List<FencingToken> tokens) {
        lock.ensureHeld();
        shards.forEach(this::record);
        lock.ensureHeld();
        for (Shard shard : shards) {
            Member member = member(shard);
            shard.backend().acquire(AcquireRequest.of(complete(), member.completeId(), TTL, member.holder()));
            shard.backend().extend(complete(), member.completeId(), TTL);
        }
        lock.ensureHeld();
        accept(tokens);
    }

    private List<FencingToken> tokensOfOneKind(RecordingLock lock) {
        List<FencingToken> tokens = lock.tokens();
        if (!areMadeInOneWay(tokens)) {
            List<Boolean> kinds = tokens.stream().map(Generation::isCounted).toList();
            Problem found = new Problem(
                    "stores '" + shards.get(kinds.indexOf(true)).name() + "' and '"
                            + shards.get(kinds.indexOf(false)).name()
                            + "' make tokens in different ways, a counter and a clock floor; a key could not move between them",
                    "configure the same for all");
            mixed = found;
            throw misconfigured(found.toString());
        }
        return tokens;
    }

    private static boolean areMadeInOneWay(List<FencingToken> tokens) {
        return tokens.stream().map(Generation::isCounted).distinct().count() == 1;
    }

    private void accept(List<FencingToken> tokens) {
        counted = Generation.isCounted(tokens.get(0));
        recorded = true;
    }

    /** Returns whether the stores count tokens, and have no clock floor. Known once they were recorded. */
    boolean isCounted() {
        return counted;
    }

    /** Holds the record's lock for a year from now, in place of an older generation's. */
    private void record(Shard shard) {
        Member member = member(shard);
        AcquireRequest request = AcquireRequest.of(RECORD, member.lockId(), TTL, member.holder());
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (shard.backend().acquire(request) instanceof Granted) {
                shard.backend().extend(RECORD, member.lockId(), TTL); // it may have been granted long ago
                return;
            }
            shard.backend().lookup(RECORD).filter(other -> !isOf(shard, other)).ifPresent(other -> {
                requireOlder(shard, other);
                shard.backend().release(RECORD, other.raw().lockId());
            });
        }
        throw new BackendException(
                ErrorCode.ABORTED, Effect.NONE, "too many processes open store '" + shard.name() + "' at once", null);
    }

    private Member requireOlder(Shard shard, LockRecord record) {
        Member other = Member.of(record.holder())
                .orElseThrow(() -> misconfigured("lock '" + RECORD + "' of store '" + shard.name() + "' is held by '"
                        + record.holder() + "', and records no set of stores; release it"));
        if (other.generation() > generation
                || (other.generation() == generation && !other.names().equals(names))) {
            String remedy = other.generation() > generation
                    ? "update the configuration of this process"
                    : "another set of stores needs generation " + (other.generation() + 1)
                            + " in the configuration of every process";
            throw misconfigured("store '" + shard.name() + "' belongs to generation " + other.generation()
                    + " with the stores " + other.names() + ", and not to generation " + generation + " with " + names
                    + "; " + remedy);
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
