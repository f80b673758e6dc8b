package io.fenceline.sharding;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records in every store which stores belong together in a generation and which of them it is, and refuses a set of stores that contradicts the
 * records. Fresh stores are recorded before the first change. A record of an older generation is replaced on request only, since that shuts
 * out all processes with the older configuration. Once all stores were recorded, one without its record is not fresh.
 */
final class Membership {

    private final int generation;
    private final List<Shard> shards;
    private final String names;
    private final List<StoreRecords> stores;
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
        this.stores = shards.stream()
                .map(shard -> new StoreRecords(shard, member(shard)))
                .toList();
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
        List<LockRecord> own = new ArrayList<>();
        List<Member> older = new ArrayList<>();
        for (StoreRecords store : stores) {
            Optional<LockRecord> record = store.lookup();
            if (record.filter(store::isOwn).isPresent()) {
                own.add(record.get());
            } else if (record.isPresent()) {
                older.add(store.requireOlder(record.get()));
            }
        }
        List<LockId> completions = own.isEmpty() ? List.of() : completions();
        if (!completions.isEmpty() && own.size() < stores.size()) {
            return lostRecord();
        }
        if (!completions.stream().allMatch(completion(own)::equals)) {
            return Optional.of(otherStores());
        }
        List<FencingToken> tokens = own.stream().map(LockRecord::token).toList();
        if (!completions.isEmpty() && own.stream().allMatch(StoreRecords::isKeptLong) && areMadeInOneWay(tokens)) {
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
        boolean usedBefore = !completions().isEmpty();
        if (usedBefore && stores.stream().anyMatch(StoreRecords::hasOwn)) {
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

    /** Looks again: since the first look, another process may have recorded the last stores. */
    private Optional<Problem> lostRecord() {
        return stores.stream()
                .filter(store -> !store.hasOwn())
                .findFirst()
                .map(store -> new Problem(
                        "store '" + store.shard().name() + "' has no record of generation " + generation
                                + ", as every store of it had: its address is that of another store, or it has lost its data",
                        remedy()));
    }

    private String remedy() {
        return "correct its address, or let all processes use generation " + (generation + 1)
                + " after 'fenceline schema install'; where tokens follow the clock, as on Redis, that command is enough for a"
                + " store without its data";
    }

    /** The records are those of another set, as they are if a process with the address of a fresh store was killed while it recorded. */
    private Problem otherStores() {
        return new Problem(
                "the stores " + names + " are not those that generation " + generation
                        + " was recorded with: the address of one is that of another store, or one has lost its data",
                remedy());
    }

    private List<LockId> completions() {
        return stores.stream().flatMap(store -> store.completion().stream()).toList();
    }

    private static LockId completion(List<LockRecord> records) {
        return Member.completion(
                records.stream().map(record -> record.raw().lockId()).toList());
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
            throw StoreRecords.misconfigured(problem.toString());
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
            if (problem.isPresent() && !completions().isEmpty() && Generation.isCounted(tokens.get(0))) {
                throw StoreRecords.misconfigured(problem.get().toString());
            }
            if (problem.isPresent()) {
                stores.forEach(StoreRecords::releaseCompletion);
            }
            writeRecords(lock, tokens);
        }
    }

    /** Completes no other process's records: one that stood still may hold no lock any more. */
    private void writeRecords(RecordingLock lock, List<FencingToken> tokens) {
        lock.ensureHeld();
        LockId completion =
                Member.completion(stores.stream().map(StoreRecords::write).toList());
        lock.ensureHeld();
        for (StoreRecords store : stores) {
            if (!store.complete(completion)) {
                throw StoreRecords.misconfigured(otherStores().toString());
            }
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
            throw StoreRecords.misconfigured(found.toString());
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
}
