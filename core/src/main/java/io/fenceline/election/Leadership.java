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
 * One term of one candidate. Safe for all threads; only {@link #stepDown} does more than look, and it does not wait.
 *
 * <p>A term that ended stays ended; if the candidate is elected again, that is another term.
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
     * Returns what is led.
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
     * Returns the grant that won, as the store gave it.
     *
     * @return the grant; its end does not follow renewals
     */
    public Grant grant() {
        return lease.grant();
    }

    /**
     * Tells whether the candidate may still act as the leader: the term was not ended, and the local deadline has not
     * passed.
     *
     * @return whether it leads at this moment; the next moment may be different, which is why resources check the token
     */
    public boolean isLeading() {
        return ended == null && lease.isHeld();
    }

    /**
     * Returns how long the candidate leads if no renewal succeeds any more.
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
     * Ends the term. The term's stamp is refused by this object at once; the listener is told; then the others are let in,
     * and this candidate stands back for one ttl before it takes part again. Does nothing if the term has ended.
     */
    public void stepDown() {
        end.accept(this, RevocationReason.STEPPED_DOWN);
    }

    /** Ends the term for a reason, unless it has ended. */
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
