package io.fenceline.testkit;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.FenceStamp;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.time.Delays;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/**
 * A process that takes part in an election and, while it leads, changes one text as often as it can, each time with the stamp that
 * it was elected with: it does not ask whether it still leads, so only the guard is between a leader of the past and the text. It
 * steps down when it is nudged. Arguments: its name, group, resource, ttl in milliseconds, log of writes, log of terms, class of
 * the data.
 */
final class CandidateClient implements LeadershipListener {

    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private final String name;
    private final String resource;
    private final GuardedData data;
    private final StressLog writes;
    private final TermLog terms;
    private final Random random = new Random();
    private long written;

    private CandidateClient(String[] args, GuardedData data, StressLog writes, TermLog terms) {
        this.name = args[0];
        this.resource = args[2];
        this.data = data;
        this.writes = writes;
        this.terms = terms;
    }

    /** Runs the candidate. */
    public static void main(String[] args) throws Exception {
        try (Locks locks = Locks.over(Backends.open(System.getenv(StressClient.LOCKS_VARIABLE)));
                StressedData opening = StressClient.opening(Class.forName(args[6]));
                StressLog writes = StressLog.to(Path.of(args[4]));
                TermLog terms = TermLog.to(Path.of(args[5]))) {
            GuardedData data = opening.guarded(System.getenv(StressClient.DATA_VARIABLE));
            CandidateClient client = new CandidateClient(args, data, writes, terms);
            try (Election election = Election.of(locks, args[1])
                    .candidate(Candidate.of(args[0]))
                    .ttl(Duration.ofMillis(Long.parseLong(args[3])))
                    .claims(data.guard(), args[2])
                    .join(client)) {
                ParentLink parent = ParentLink.connect(election::stepDown);
                while (parent.isConnected()) {
                    Delays.system().park(LONGEST_PAUSE_NANOS);
                }
            }
        }
    }

    @Override
    public void onElected(Leadership leadership) throws Exception {
        terms.elected(leadership.term().value());
        writes.claimed(leadership.term().value());
        FenceStamp remembered = leadership.required();
        boolean isLeader = true;
        while (isLeader) {
            String base = data.read(resource).orElse(WriteHistory.START);
            Delays.system().park(random.nextLong(LONGEST_PAUSE_NANOS));
            isLeader = write(remembered, base);
        }
    }

    private boolean write(FenceStamp stamp, String base) throws IOException {
        String value = name + "." + ++written;
        writes.writing(stamp.token().value(), base, value);
        try {
            data.write(resource, stamp, value);
            writes.accepted();
            return true;
        } catch (StaleTokenException overtaken) {
            writes.refused();
            return false;
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                writes.refused();
            }
            throw e;
        }
    }

    @Override
    public void onRevoked(Leadership leadership, RevocationReason reason) {
        try {
            terms.revoked(leadership.term().value());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
