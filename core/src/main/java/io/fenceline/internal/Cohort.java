package io.fenceline.internal;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The leases that share one grant of the store: each has a token of its block, and passes the lock on to the next local waiter
 * without asking the store.
 *
 * <p>To the store they are one lease: they have its lock id, and so extend and release what it knows. All have the same ttl and
 * holder, and their deadlines count from the request for the block. At most one of them is held at a time. It passes the lock on only
 * when its holder releases it; one that was lost never does. One that tried to extend goes back to the store: otherwise a late
 * extension would prolong what its successors hold, or the rest that one of them leaves. The thread that extends sets {@code
 * extended} and then reads whether the lease has ended, the thread that releases does the reverse, so that one sees the other.
 */
final class Cohort {

    /** The most grants in a row without asking the store: enough that a request costs little of each. */
    private static final int MAX_TOKENS = 32;

    /** Terms are not shared, so that everybody can look up the token of the present one. The prefix of an election's keys. */
    private static final String ELECTIONS = "election:";

    private final Grant block;
    private final Moment asked;
    private final Duration ttl;
    private volatile boolean extended;

    private Cohort(Grant block, Moment asked, Duration ttl) {
        this.block = block;
        this.asked = asked;
        this.ttl = ttl;
    }

    /** Returns how many tokens to ask for: the most with which all threads in line have the same number of turns. */
    static int tokensFor(LockKey key, int line) {
        if (key.value().startsWith(ELECTIONS)) {
            return 1;
        }
        return line < MAX_TOKENS ? MAX_TOKENS - MAX_TOKENS % line : MAX_TOKENS;
    }

    /**
     * Returns the cohort of a grant, or null if it has no further token.
     *
     * @param asked from when the grant counts
     */
    static @Nullable Cohort of(Grant grant, Moment asked, Duration ttl) {
        return grant.tokens() == 1 ? null : new Cohort(grant, asked, ttl);
    }

    /** Returns the grant of the first lease. */
    Grant first() {
        return withToken(block.token());
    }

    /** The lock id at the store. */
    LockId lockId() {
        return block.lockId();
    }

    /** Returns whether a lease has the last token. */
    boolean isLast(Grant member) {
        return member.token().equals(block.lastToken());
    }

    /** A lease of this cohort is going to extend. */
    void extensionBegins() {
        extended = true;
    }

    /**
     * Returns the grant of the next lease as a reply to its waiter, or null if the waiter has to ask the store.
     *
     * @param member the grant of the lease that was released
     */
    @Nullable
    ForwardedReply next(Grant member, LockOptions options, Moment now) {
        boolean fits = !isLast(member)
                && !extended
                && options.ttl().equals(ttl)
                && options.holder().equals(block.holder())
                && LeaseDeadline.countedFrom(asked, ttl.dividedBy(3), Duration.ZERO)
                                .remainingNanos(now)
                        > 0
                && LeaseDeadline.of(asked, options).remainingNanos(now) > 0;
        if (!fits) {
            return null;
        }
        Grant next = withToken(FencingToken.of(member.token().value() + 1));
        return ForwardedReply.passedOn(asked, next, this);
    }

    private Grant withToken(FencingToken token) {
        return new Grant(block.key(), block.lockId(), block.holder(), token, 1, block.acquiredAt(), block.expiresAt());
    }
}
