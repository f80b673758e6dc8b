package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A guard in the memory of one process, for resources that live there and for tests. It forgets with its process, and it
 * remembers a resource for as long as it lives.
 */
public final class MemoryFenceGuard implements FenceGuard {

    private final Map<ResourceName, Slot> slots = new ConcurrentHashMap<>();
    private final FenceRule rule;
    private final LockListeners listeners;

    /** Creates a guard whose holders write as often as they like. */
    public MemoryFenceGuard() {
        this(FenceRule.AT_LEAST);
    }

    /**
     * Creates a guard.
     *
     * @param rule how often a grant may write
     * @param listeners told of what the guard is asked, and of refusals
     */
    public MemoryFenceGuard(FenceRule rule, LockListener... listeners) {
        this.rule = rule;
        this.listeners = LockListeners.of(listeners);
    }

    /**
     * Writes if the stamp is not stale. The check and the effect are one step for all that write through this guard to the
     * same resource: one writer is at work at a time.
     *
     * @param <T> what the write returns
     * @param resource the name of what is written
     * @param stamp the writer's key and token
     * @param effect the write. If it throws, the token counts as seen and not as written. It should not use this guard; what
     *     it claims for the same resource is kept
     * @return what the effect returned
     * @throws StaleTokenException if a greater token was seen; the effect did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the effect did not run
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public <T> T write(String resource, FenceStamp stamp, Supplier<T> effect) {
        Slot slot = slot(resource);
        slot.lock.lock();
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.WRITE, resource, stamp)) {
            slot.onWrite(stamp, rule).orThrow(resource, stamp, listeners);
            slot.claimed(stamp);
            T result = effect.get();
            slot.written(stamp);
            return check.accepted(result);
        } finally {
            slot.lock.unlock();
        }
    }

    @Override
    public void claim(String resource, FenceStamp stamp) {
        Slot slot = slot(resource);
        slot.lock.lock();
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.CLAIM, resource, stamp)) {
            slot.onClaim(stamp).orThrow(resource, stamp, listeners);
            slot.claimed(stamp);
            check.accepted();
        } finally {
            slot.lock.unlock();
        }
    }

    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        return fence(resource).map(fence -> fence.onWrite(stamp, rule)).orElse(new Verdict.Accepted());
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        return fence(resource).map(Fence::stamp);
    }

    /** Whoever only asks makes no slot: names may come from strangers. */
    private Optional<Fence> fence(String resource) {
        return Optional.ofNullable(slots.get(ResourceName.of(resource))).map(slot -> slot.fence);
    }

    private Slot slot(String resource) {
        return slots.computeIfAbsent(ResourceName.of(resource), name -> new Slot());
    }

    /** One resource: written by one thread at a time, read by any. */
    private static final class Slot {

        private final ReentrantLock lock = new ReentrantLock();
        private volatile @Nullable Fence fence;

        Verdict onWrite(FenceStamp stamp, FenceRule rule) {
            Fence seen = fence;
            return seen == null ? new Verdict.Accepted() : seen.onWrite(stamp, rule);
        }

        Verdict onClaim(FenceStamp stamp) {
            Fence seen = fence;
            return seen == null ? new Verdict.Accepted() : seen.onClaim(stamp);
        }

        void written(FenceStamp stamp) {
            Fence seen = fence;
            fence = seen == null ? Fence.written(stamp) : seen.afterWrite(stamp);
        }

        void claimed(FenceStamp stamp) {
            Fence seen = fence;
            fence = seen == null ? Fence.claimed(stamp) : seen.afterClaim(stamp);
        }
    }
}
