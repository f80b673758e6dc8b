package io.fenceline.election;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.RevocationReason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One term of one candidate. Thread-safe; no method blocks.
 *
 * <p>An ended term stays ended; if the candidate is elected again, that is another term.
 */
public final class Leadership implements TokenSource {

    private final String group;
    private final Lease lease;
    private final BiConsumer<Leadership, RevocationReason> end;
    private volatile @Nullable RevocationReason ended;

    Leadership(String group, Lease lease, BiConsumer<Leadership, RevocationReason> end) {
        this.group = group;
        this.lease = lease;
        this.end = end;
    }

    /**
     * Returns the group.
     *
     * @return the group's name
     */
    public String group() {
        return group;
    }

    /**
     * Returns the term's number: the fencing token of the grant that won. It never changes.
     *
     * @return greater than every earlier term of the group
     */
    public FencingToken term() {
        return lease.token();
    }

    /**
     * Returns the grant that won the election.
     *
     * @return the grant; its expiry does not include renewals
     */
    public Grant grant() {
        return lease.grant();
    }

    /**
     * Returns whether the candidate leads: the term was not ended, and the local deadline has not passed.
     *
     * @return whether it leads now; that can change at any moment, which is why resources check the token
     */
    public boolean isLeading() {
        return ended == null && lease.isHeld();
    }

    /**
     * Returns the time for which the candidate leads without another renewal.
     *
     * @return the time to the local deadline, zero if it does not lead
     */
    public Duration remaining() {
        return ended == null ? lease.remaining() : Duration.ZERO;
    }

    @Override
    public Optional<FenceStamp> current() {
        return isLeading() ? Optional.of(lease.stamp()) : Optional.empty();
    }

    /**
     * Ends the term. From then on {@link #current()} is empty. The listener is called, the lock is released, and this candidate
     * pauses for one ttl before it takes part again. No-op if the term has ended.
     */
    public void stepDown() {
        end.accept(this, RevocationReason.STEPPED_DOWN);
    }

    /** Ends the term. Returns false if it has ended already. */
    boolean end(RevocationReason reason) {
        if (ended != null) {
            return false;
        }
        ended = reason;
        return true;
    }

    @Nullable
    RevocationReason ended() {
        return ended;
    }

    Lease lease() {
        return lease;
    }

    @Override
    public String toString() {
        return "term " + term() + " of group '" + group + "'";
    }
}
