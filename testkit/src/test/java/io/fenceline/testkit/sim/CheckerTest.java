package io.fenceline.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LossReason;
import io.fenceline.testkit.BackendOperation;
import io.fenceline.testkit.sim.Event.Answered;
import io.fenceline.testkit.sim.Event.Asked;
import io.fenceline.testkit.sim.Event.Believes;
import io.fenceline.testkit.sim.Event.GaveUp;
import io.fenceline.testkit.sim.Event.Granted;
import io.fenceline.testkit.sim.Event.Holds;
import io.fenceline.testkit.sim.Event.LetsGo;
import io.fenceline.testkit.sim.Event.Lost;
import io.fenceline.testkit.sim.Event.Read;
import io.fenceline.testkit.sim.Event.StillTaken;
import io.fenceline.testkit.sim.Event.Wants;
import io.fenceline.testkit.sim.Event.Wrote;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories made by hand, of faults that no mutant has. Every lease has a ttl of 1000 ns. */
class CheckerTest {

    private final List<HistoryEntry> history = new ArrayList<>();

    @Test
    void acceptsALeaseFromItsGrantToItsRelease() {
        held();
        at(900, "c/w", new Believes("a", 1, 1, 900, 100));
        at(900, "c/w", new LetsGo("a", 1, 1, 900));

        assertThat(new Checker(true).firstViolation(history)).isEmpty();
    }

    @Test
    void findsAHolderThatWasOvertakenInItsProcess() {
        at(0, "c/w1", new Wants("a"));
        at(0, "c/w2", new Wants("a"));
        at(0, "d/w1", new Wants("a"));
        at(1, "c/w2", new Holds("a", 1, 1));

        assertFound("L6");
    }

    @Test
    void doesNotCountThoseWhoGaveUp() {
        at(0, "c/w1", new Wants("a"));
        at(0, "c/w2", new Wants("a"));
        at(1, "c/w1", new GaveUp("a", "interrupted"));
        at(1, "c/w2", new Holds("a", 1, 1));

        assertThat(new Checker(true).firstViolation(history)).isEmpty();
    }

    @Test
    void findsABeliefAfterTheRelease() {
        held();
        at(10, "c/w", new LetsGo("a", 1, 1, 10));
        at(10, "c/w", new Believes("a", 1, 1, 10, 100));

        assertFound("L4");
    }

    @Test
    void findsARenewalAfterTheRelease() {
        held();
        at(10, "c/w", new LetsGo("a", 1, 1, 10));
        at(11, "c/watch1", new Asked(2, BackendOperation.EXTEND, "a", 1, 1000, 11));

        assertFound("L3");
    }

    @Test
    void findsALossAfterTheRelease() {
        held();
        at(10, "c/w", new LetsGo("a", 1, 1, 10));
        at(11, "c/w", new Lost(1, 1, LossReason.DEADLINE_PASSED, 11));

        assertFound("L2");
    }

    @Test
    void findsALossThatIsSignalledTwice() {
        held();
        at(900, "c/w", new Lost(1, 1, LossReason.DEADLINE_PASSED, 900));
        at(900, "c/w", new Lost(1, 1, LossReason.DEADLINE_PASSED, 900));

        assertFound("L2");
    }

    @Test
    void findsAWriteThatReplacesWhatItHasNotSeen() {
        at(1, "fenced", new Read("fenced", "a", 1, true));
        at(2, "fenced", new Wrote("fenced", "a", 1, 3, 4, true));

        assertFound("R4");
    }

    @Test
    void findsALockThatStaysTaken() {
        at(1, "world", new StillTaken("a"));

        assertFound("progress");
    }

    private void held() {
        at(0, "c/w", new Wants("a"));
        at(0, "c/w", new Asked(1, BackendOperation.ACQUIRE, "a", 1, 1000, 0));
        at(1, "server", new Granted(1, "a", 1, 1, 1, 1000));
        at(2, "c/w", new Answered(1, 1, Answered.DONE));
        at(2, "c/w", new Holds("a", 1, 1));
    }

    private void at(long nanos, String who, Event event) {
        history.add(new HistoryEntry(nanos, nanos, who, event));
    }

    /** Finds it in the last line. */
    private void assertFound(String promise) {
        assertThat(new Checker(true).firstViolation(history)).hasValueSatisfying(found -> {
            assertThat(found.promise()).isEqualTo(promise);
            assertThat(found.line()).isEqualTo(history.size() - 1);
        });
    }
}
