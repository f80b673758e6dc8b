package io.fenceline.examples.ledger;

import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.election.NotLeaderException;
import io.fenceline.election.TokenSource;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.FencedStream;
import io.fenceline.jdbc.guard.StreamEntry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A node that answers requests for entries of a ledger, and appends them while it leads. */
public final class LedgerNode implements LeadershipListener, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LedgerNode.class.getName());
    private static final String LEDGER = "ledger";

    private final FencedStream streams;
    private final Election election;

    /**
     * Starts a node.
     *
     * @param locks where the nodes elect their leader
     * @param streams where the ledger is
     * @param name the node's name
     * @param ttl for how long a node that vanished keeps the others from leading
     */
    public LedgerNode(Locks locks, FencedStream streams, String name, Duration ttl) {
        this.streams = streams;
        this.election = Election.of(locks, LEDGER)
                .candidate(Candidate.of(name))
                .ttl(ttl)
                .claims(streams.guard(), LEDGER) // from now on no earlier leader appends
                .join(this);
    }

    /**
     * Appends an entry. Asks for the token now, whichever thread this is: nothing remembers one.
     *
     * @param entry what happened
     * @return the entry's position
     * @throws NotLeaderException if this node does not lead; ask the one that does
     * @throws StaleTokenException if another leads already and this node does not know it yet
     */
    public long append(String entry) {
        return streams.append(LEDGER, election.tokens().required(), entry.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what gives the running term's stamp. */
    public TokenSource tokens() {
        return election.tokens();
    }

    /** Returns the whole ledger, whoever leads. */
    public List<StreamEntry> entries() {
        return streams.read(LEDGER, 1, 1_000);
    }

    /** Lets another node lead. */
    public void stepDown() {
        election.stepDown();
    }

    @Override
    public void onElected(Leadership term) {
        LOG.log(System.Logger.Level.INFO, "this node leads: {0}", term);
    }

    @Override
    public void onRevoked(Leadership term, RevocationReason reason) {
        LOG.log(System.Logger.Level.INFO, "{0} ended: {1}", term, reason);
    }

    @Override
    public void close() {
        election.close();
    }
}
