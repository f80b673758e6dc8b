package io.fenceline.testkit;

import io.fenceline.testkit.StressedWrite.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The writes and claims of several processes on one text, and the check whether a guard may have let them.
 *
 * @param claims that were accepted
 * @param writes all attempts
 */
record WriteHistory(List<Claim> claims, List<StressedWrite> writes) {

    /** What there is before the first write. */
    static final String START = "-";

    /**
     * An accepted claim.
     *
     * @param token of the claimer's grant
     * @param endedNanos after it was answered
     */
    record Claim(long token, long endedNanos) {}

    /** Something that has happened, after which smaller tokens must be refused. */
    private record Seen(long token, long nanos, String what) {}

    /** Reads the logs of all processes, which may still be writing. */
    static WriteHistory read(List<Path> logs) {
        WriteHistory history = new WriteHistory(new ArrayList<>(), new ArrayList<>());
        try {
            for (Path log : logs) {
                String text = Files.exists(log) ? Files.readString(log) : "";
                history.add(
                        text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return history;
    }

    private void add(List<String> lines) {
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            long nanos = Long.parseLong(words[words.length - 1]);
            int last = writes.size() - 1;
            switch (words[0]) {
                case StressLog.CLAIMED -> claims.add(new Claim(Long.parseLong(words[1]), nanos));
                case StressLog.WRITING ->
                    writes.add(new StressedWrite(
                            Long.parseLong(words[1]), words[2], words[3], nanos, Long.MAX_VALUE, Outcome.UNKNOWN));
                case StressLog.ACCEPTED -> writes.set(last, writes.get(last).answered(Outcome.ACCEPTED, nanos));
                case StressLog.REFUSED -> writes.set(last, writes.get(last).answered(Outcome.REFUSED, nanos));
                default -> throw new IllegalArgumentException("not a line of a log: " + line);
            }
        }
    }

    long accepted() {
        return writes.stream().filter(StressedWrite::isAccepted).count();
    }

    long refused() {
        return writes.stream()
                .filter(write -> write.outcome() == Outcome.REFUSED)
                .count();
    }

    /** Returns a sentence for each. */
    List<String> staleWrites() {
        List<Seen> seen = new ArrayList<>();
        claims.forEach(claim -> seen.add(new Seen(claim.token(), claim.endedNanos(), "the claim")));
        writes.stream()
                .filter(StressedWrite::isAccepted)
                .forEach(write -> seen.add(new Seen(write.token(), write.endedNanos(), "write " + write.value())));
        seen.sort(Comparator.comparingLong(Seen::nanos));

        List<String> violations = new ArrayList<>();
        Seen greatest = new Seen(0, Long.MIN_VALUE, "the start");
        int next = 0;
        for (StressedWrite write : writes.stream()
                .filter(StressedWrite::isAccepted)
                .sorted(Comparator.comparingLong(StressedWrite::beganNanos))
                .toList()) {
            for (; next < seen.size() && seen.get(next).nanos() < write.beganNanos(); next++) {
                greatest = seen.get(next).token() > greatest.token() ? seen.get(next) : greatest;
            }
            if (write.token() < greatest.token()) {
                violations.add(write + " was accepted after " + greatest.what() + " with token " + greatest.token());
            }
        }
        return violations;
    }

    /** Returns a sentence for each break. */
    List<String> lostWrites(String end) {
        return new WriteChain(writes, end).breaks();
    }
}
