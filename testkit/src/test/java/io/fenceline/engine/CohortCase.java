package io.fenceline.engine;

import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;

/** A process whose threads pass a contended lock on among themselves. */
abstract class CohortCase {

    static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));
    static final Duration SOME_TIME = Duration.ofSeconds(2);
    static final Duration TURN = LocksBuilder.LONGEST_TURN;

    final Bench bench = Bench.signalling();

    /** Locks whose turns last long enough for the clock to be moved within one. */
    final Locks locks =
            bench.builder().longestTurn(Duration.ofHours(1)).withoutThread().build();

    Background<Lease> waiter(LockOptions options) throws Exception {
        return waiter(locks, NAME, options, 1);
    }

    Background<Lease> waiter(Locks from, String name, LockOptions options, int parked) throws Exception {
        Background<Lease> waiter = Background.start(() -> from.acquire(name, options));
        bench.time.awaitParked(parked);
        return waiter;
    }

    /** The first lease of a block; nobody waits behind it yet. */
    Lease firstOfABlock() throws Exception {
        Lease before = locks.acquire(NAME);
        Background<Lease> first = waiter(PATIENT);
        before.close();
        assertThat(bench.asked(BackendOperation.SUCCEED)).isOne();
        return first.result();
    }

    void assertAskedNothingMore() {
        assertThat(bench.askedAtAll()).as("an acquire and a succession").isEqualTo(2);
    }

    void assertAskedTheStore() {
        assertThat(bench.asked(BackendOperation.SUCCEED)).isEqualTo(2);
    }
}
