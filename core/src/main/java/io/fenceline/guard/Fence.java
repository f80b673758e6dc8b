package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;

/**
 * A guard's record of one resource, with the decision logic: for guards that decide on the client, and as the reference for those
 * that decide in the store.
 *
 * @param key the lock key that the resource belongs to
 * @param highest the greatest token that wrote or claimed
 * @param written the greatest token that wrote, 0 if there were only claims
 */
public record Fence(LockKey key, FencingToken highest, long written) {

    /**
     * Returns the fence after the first claim of a resource.
     *
     * @param stamp the claimer's key and token
     * @return a fence without a write
     */
    public static Fence claimed(FenceStamp stamp) {
        return new Fence(stamp.key(), stamp.token(), 0);
    }

    /**
     * Returns the fence after the first write to a resource.
     *
     * @param stamp the writer's key and token
     * @return a fence with this write
     */
    public static Fence written(FenceStamp stamp) {
        return new Fence(stamp.key(), stamp.token(), stamp.token().value());
    }

    /**
     * Checks a write.
     *
     * @param stamp the writer's key and token
     * @param rule how often a grant may write
     * @return the verdict
     */
    public Verdict onWrite(FenceStamp stamp, FenceRule rule) {
        return decide(stamp, rule.admits(stamp.token().value(), highest.value(), written));
    }

    /**
     * Checks a claim.
     *
     * @param stamp the claimer's key and token
     * @return the verdict
     */
    public Verdict onClaim(FenceStamp stamp) {
        return decide(stamp, stamp.token().compareTo(highest) >= 0);
    }

    private Verdict decide(FenceStamp stamp, boolean admitted) {
        if (!stamp.key().equals(key)) {
            return new Verdict.Foreign(key);
        }
        return admitted ? new Verdict.Accepted() : new Verdict.Stale(highest);
    }

    /**
     * Returns the fence after an accepted write. Never lowers it: claims made during the write stay.
     *
     * @param stamp the writer's key and token
     * @return the fence
     */
    public Fence afterWrite(FenceStamp stamp) {
        FencingToken token = stamp.token();
        return new Fence(key, token.isNewerThan(highest) ? token : highest, Math.max(written, token.value()));
    }

    /**
     * Returns the fence after an accepted claim.
     *
     * @param stamp the claimer's key and token
     * @return the fence
     */
    public Fence afterClaim(FenceStamp stamp) {
        return new Fence(key, stamp.token(), written);
    }

    /**
     * Returns the greatest token with its key.
     *
     * @return the highest stamp
     */
    public FenceStamp stamp() {
        return new FenceStamp(key, highest);
    }
}
