package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spring.RandomProgram.Place;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Random programs of transactions on two databases. {@code -Dfenceline.seeds=3000} tries more of them, {@code -Dfenceline.seed=17} begins
 * with another.
 */
class RandomTransactionsTest {

    private static final long FIRST = Long.getLong("fenceline.seed", 1);
    private static final int SEEDS = Integer.getInteger("fenceline.seeds", 400);

    private final List<Place> guarded = places();
    private final TransactionFences fences = TransactionFences.of(guarded.get(0).guard, guarded.get(0).source)
            .and(guarded.get(1).guard, guarded.get(1).source);
    private final Locks locks = Locks.over(new MemoryLockBackend());
    private final LockTemplate locked = LockTemplate.of(locks).withFences(fences);

    private static List<Place> places() {
        return Stream.generate(() -> new Place(TestDatabase.H2.newGuardedUrl()))
                .limit(2)
                .toList();
    }

    @AfterEach
    void close() {
        guarded.forEach(place -> place.source.close());
        locks.close();
    }

    @Test
    void withoutALockEndAsInPlainSpring() {
        List<Place> plain = places();
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            RandomProgram watched = new RandomProgram(seed, guarded, null);
            RandomProgram unwatched = new RandomProgram(seed, plain, null);

            String end = run(guarded, List.of(fences), watched, watched::run);

            assertThat(end)
                    .as("seed %d: %s", seed, watched)
                    .isEqualTo(run(plain, List.of(), unwatched, unwatched::run));
            assertThat(watched).asString().as("seed %d", seed).isEqualTo(unwatched.toString());
            assertThat(rows(guarded)).as("seed %d: %s", seed, watched).isEqualTo(rows(plain));
        }
        plain.forEach(place -> place.source.close());
    }

    @Test
    @Tag("R11")
    void underALockCommitNothingAfterANewerHolderHasClaimed() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            FenceStamp[] newer = new FenceStamp[1];
            RandomProgram program = new RandomProgram(
                    seed, guarded, () -> guarded.forEach(place -> place.guard.claim("job", newer[0])));
            List<TransactionExecutionListener> listeners = seed % 2 == 0
                    ? List.of(fences, program.failingListener())
                    : List.of(program.failingListener(), fences);

            run(
                    guarded,
                    listeners,
                    program,
                    () -> locked.<Boolean, RuntimeException>call(
                            "job", LockOptions.defaults(), List.of("job"), lease -> {
                                newer[0] = new FenceStamp(
                                        lease.key(),
                                        FencingToken.of(lease.token().value() + 1));
                                program.run();
                                return true;
                            }));

            Set<String> committed = rows(guarded);
            committed.retainAll(program.tooLate());
            assertThat(committed).as("seed %d: %s", seed, program).isEmpty();
            assertThat(locks.lookup("job")).as("seed %d: %s", seed, program).isEmpty();
        }
    }

    /** A part of a test that waits for a lock. */
    private interface Step {
        void run() throws InterruptedException;
    }

    /** Returns the simple name of what was thrown, or null. */
    private static @Nullable String run(
            List<Place> places, List<TransactionExecutionListener> listeners, RandomProgram program, Step step) {
        for (Place place : places) {
            place.empty();
            place.manager.setTransactionExecutionListeners(listeners);
        }
        try {
            step.run();
            return null;
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                    .as(program.toString())
                    .isFalse();
        }
    }

    private static Set<String> rows(List<Place> places) {
        Set<String> rows = new TreeSet<>();
        places.forEach(place -> rows.addAll(place.rows()));
        return rows;
    }
}
