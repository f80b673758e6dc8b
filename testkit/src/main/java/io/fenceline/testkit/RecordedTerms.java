package io.fenceline.testkit;

import io.fenceline.RevocationReason;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A listener that notes what it is told. */
final class RecordedTerms implements LeadershipListener {

    private static final long PATIENCE_SECONDS = 30;

    /**
     * A call.
     *
     * @param term whose
     * @param revoked why it ended, or empty if it began
     */
    record Call(Leadership term, Optional<RevocationReason> revoked) {}

    private final BlockingQueue<Call> fresh = new LinkedBlockingQueue<>();
    private final List<Call> all = new CopyOnWriteArrayList<>();

    @Override
    public void onElected(Leadership leadership) {
        note(new Call(leadership, Optional.empty()));
    }

    @Override
    public void onRevoked(Leadership leadership, RevocationReason reason) {
        note(new Call(leadership, Optional.of(reason)));
    }

    private void note(Call call) {
        all.add(call);
        fresh.add(call);
    }

    /** All calls so far. */
    List<Call> all() {
        return all;
    }

    /** Waits for the next call, which must be an election. */
    Leadership awaitElected() throws InterruptedException {
        Call call = next();
        if (call.revoked().isPresent()) {
            throw new AssertionError("revoked, not elected: " + call);
        }
        return call.term();
    }

    /** Waits for the next call, which must be a revocation. */
    RevocationReason awaitRevoked() throws InterruptedException {
        Call call = next();
        return call.revoked().orElseThrow(() -> new AssertionError("elected, not revoked: " + call));
    }

    private Call next() throws InterruptedException {
        Call call = fresh.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (call == null) {
            throw new AssertionError("no call within " + PATIENCE_SECONDS + " s");
        }
        return call;
    }

    boolean hasNews() {
        return !fresh.isEmpty();
    }
}
