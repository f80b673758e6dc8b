package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockId;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an election and a guard promise together when leaders are stopped, killed and told to step down, again and again. Five JVMs
 * with the test's class path take part; whoever leads writes to one text with the stamp of its term and does not ask whether it
 * still leads.
 *
 * <p>{@code -Dfenceline.rounds=} says how many faults there are, 3 if it is not said, one of each kind; {@code -Dfenceline.leaderless.millis=} how
 * long beyond the ttl a group may be without a leader, 10 000 if it is not said, which only a standstill takes.
 */
@Timeout(3600)
@DisabledOnOs(OS.WINDOWS) // which cannot stop a process
public abstract class LeaderStressContract {

    private static final System.Logger LOG = System.getLogger("io.fenceline.testkit");

    private static final int CANDIDATES = 5;
    private static final int ROUNDS = Integer.getInteger("fenceline.rounds", 3);
    private static final Duration ALLOWANCE = Duration.ofMillis(Long.getLong("fenceline.leaderless.millis", 10_000));
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int LONGEST_REIGN_MILLIS = 200;

    private final long seed = Long.getLong("fenceline.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final String name = "led-" + LockId.random();
    private final List<Member> members = new ArrayList<>();
    private final List<Member> everyone = new ArrayList<>();
    private Duration longestGap = Duration.ZERO;

    @TempDir
    Path folder;

    /** Creates the contract; called by test engines. */
    protected LeaderStressContract() {}

    /**
     * Returns where the leader's lock is. The store may be in use: groups are new for each test.
     *
     * @return a URI for {@link io.fenceline.Backends#open}, handed on in the environment
     */
    protected abstract String locks();

    /**
     * Returns what opens the guarded data, in each process and in the test's own.
     *
     * @return a class with a constructor without parameters
     */
    protected abstract Class<? extends StressedData> data();

    /**
     * Returns where the data is.
     *
     * @return an address that {@link #data()} understands, handed on in the environment; as it stands that of the locks
     */
    protected String address() {
        return locks();
    }

    /** A candidate's process and what it writes down. */
    private record Member(ChildJvm jvm, Path writes, Path terms) {}

    @AfterEach
    final void killAll() {
        members.forEach(member -> member.jvm().close());
    }

    @Test
    @Tag("E1")
    @Tag("E2")
    @Tag("R1")
    void haveOneAcceptedWriterAtATimeAndANewLeaderAfterEachFault() throws IOException {
        for (int i = 0; i < CANDIDATES; i++) {
            members.add(start());
        }
        long term = awaitTermAfter(0).term();
        for (int faults = 0; faults < ROUNDS; ) {
            ClientProcess.park(Duration.ofMillis(random.nextInt(LONGEST_REIGN_MILLIS)));
            Optional<Member> leader = leaderOf(term);
            if (leader.isPresent()) {
                term = disturb(faults, leader.get(), term);
                faults++;
            } else { // it lost its lease by itself, which a slow machine makes happen
                term = awaitTermAfter(term).term();
            }
        }
        for (Member member : members) {
            assertThat(member.jvm().end()).as("exit code, seed " + seed).isZero();
        }

        assertTermsAreSound();
        WriteHistory history =
                WriteHistory.read(everyone.stream().map(Member::writes).toList());
        LOG.log(
                Level.INFO,
                "{0}: {1} faults, {2} terms, {3} writes accepted, {4} refused, longest time from a fault to the next leader {5} ms",
                getClass().getName(),
                ROUNDS,
                elections().size(),
                history.accepted(),
                history.refused(),
                longestGap.toMillis());
        assertThat(history.staleWrites()).as("stale writes, seed " + seed).isEmpty();
        try (StressedData opening = StressClient.opening(data())) {
            String end = opening.guarded(address()).read(name).orElse(WriteHistory.START);
            assertThat(history.lostWrites(end)).as("lost writes, seed " + seed).isEmpty();
        }
        assertThat(history.accepted()).isGreaterThanOrEqualTo(ROUNDS);
    }

    /** Does something to the leader of a term, waits for the next one, and returns its term. */
    private long disturb(int round, Member leader, long term) throws IOException {
        long faultNanos = System.nanoTime();
        TermLog.Call next;
        switch (round % 3) {
            case 0 -> {
                leader.jvm().stop();
                try {
                    next = awaitTermAfter(term);
                } finally {
                    leader.jvm().resume();
                }
            }
            case 1 -> {
                leader.jvm().kill();
                members.remove(leader);
                next = awaitTermAfter(term);
                members.add(start());
            }
            default -> {
                leader.jvm().nudge();
                next = awaitTermAfter(term);
            }
        }
        Duration gap = Duration.ofNanos(next.nanos() - faultNanos);
        longestGap = gap.compareTo(longestGap) > 0 ? gap : longestGap;
        assertThat(gap).as("from a fault to the next leader, seed " + seed).isLessThan(TTL.plus(ALLOWANCE));
        return next.term();
    }

    private Member start() {
        int number = everyone.size();
        Path writes = folder.resolve("writes-" + number);
        Path terms = folder.resolve("terms-" + number);
        ChildJvm jvm = ChildJvm.start(
                CandidateClient.class,
                Map.of(StressClient.LOCKS_VARIABLE, locks(), StressClient.DATA_VARIABLE, address()),
                "candidate-" + number,
                name,
                name,
                Long.toString(TTL.toMillis()),
                writes.toString(),
                terms.toString(),
                data().getName());
        Member member = new Member(jvm, writes, terms);
        everyone.add(member);
        return member;
    }

    /** Returns the first term that is greater than one. */
    private TermLog.Call awaitTermAfter(long term) throws IOException {
        long sinceNanos = System.nanoTime();
        while (System.nanoTime() - sinceNanos < PATIENCE.toNanos()) {
            for (TermLog.Call election : elections()) {
                if (election.term() > term) {
                    return election;
                }
            }
            ClientProcess.park(Duration.ofMillis(2));
        }
        throw new AssertionError("no leader after term " + term + " within " + PATIENCE + ", seed " + seed);
    }

    private Optional<Member> leaderOf(long term) throws IOException {
        for (Member member : members) {
            List<TermLog.Call> calls = TermLog.calls(member.terms());
            TermLog.Call last = calls.isEmpty() ? null : calls.get(calls.size() - 1);
            if (last != null && last.elected() && last.term() == term) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }

    /** Returns the beginnings of all terms, in their order in time. */
    private List<TermLog.Call> elections() throws IOException {
        List<TermLog.Call> elections = new ArrayList<>();
        for (Member member : everyone) {
            TermLog.calls(member.terms()).stream().filter(TermLog.Call::elected).forEach(elections::add);
        }
        elections.sort(Comparator.comparingLong(TermLog.Call::nanos));
        return elections;
    }

    private void assertTermsAreSound() throws IOException {
        List<Long> terms = elections().stream().map(TermLog.Call::term).toList();
        assertThat(terms)
                .as("terms in the order of time, seed " + seed)
                .isSorted()
                .doesNotHaveDuplicates();
        for (Member member : everyone) {
            List<TermLog.Call> calls = TermLog.calls(member.terms());
            for (int i = 0; i < calls.size(); i++) {
                assertThat(calls.get(i).elected())
                        .as("calls by turns: " + calls)
                        .isEqualTo(i % 2 == 0);
                assertThat(calls.get(i).term()).isEqualTo(calls.get(i - i % 2).term());
            }
            if (members.contains(member)) {
                assertThat(calls.size() % 2)
                        .as("every term has ended: " + calls)
                        .isZero();
            }
        }
    }
}
