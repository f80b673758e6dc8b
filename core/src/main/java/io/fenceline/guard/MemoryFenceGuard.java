package io.fenceline.guard;

import static java.util.Objects.requireNonNull;

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
 * A guard in the memory of one process, for resources in memory and for tests. It is not persistent, and never forgets a resource
 * while it exists.
 */
public final class MemoryFenceGuard implements FenceGuard {

    private final Map<ResourceName, Slot> slots = new ConcurrentHashMap<>();
    private final FenceRule rule;
    private final LockListeners listeners;

    /** Creates a guard with {@link FenceRule#AT_LEAST}. */
    public MemoryFenceGuard() {
        this(FenceRule.AT_LEAST);
    }

    /**
     * Creates a guard.
     *
     * @param rule how often a grant may write
     * @param listeners called on checks and refusals
     */
    public MemoryFenceGuard(FenceRule rule, LockListener... listeners) {
        this.rule = requireNonNull(rule, "rule");
        this.listeners = LockListeners.of(listeners);
    }

    /**
     * Writes if the stamp is not stale. Check and effect are atomic for writers of the same resource through this guard:
     * they run one at a time.
     *
     * @param resource the resource
     * @param stamp the writer's key and token
     * @param effect the write. If it throws, the token counts as seen and not as written. It should not use this guard; its
     *     claims of the same resource are kept
     * @throws StaleTokenException if a greater token was seen; the effect did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the effect did not run
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public void write(String resource, FenceStamp stamp, Runnable effect) {
        requireNonNull(effect, "effect");
        call(resource, stamp, () -> {
            effect.run();
            return true;
        });
    }

    /**
     * Writes as {@link #write} does, and returns a result.
     *
     * @param <T> what the write returns
     * @param resource the resource
     * @param stamp the writer's key and token
     * @param effect the write, as in {@link #write}
     * @return what the effect returned
     * @throws StaleTokenException if a greater token was seen; the effect did not run
     * @throws ForeignTokenException if the resource belongs to another lock key; the effect did not run
     * @throws IllegalArgumentException if the resource's name breaks the rules of {@link ResourceName}
     */
    public <T> T call(String resource, FenceStamp stamp, Supplier<T> effect) {
        requireNonNull(effect, "effect");
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
        requireNonNull(stamp, "stamp");
        return fence(resource).map(fence -> fence.onWrite(stamp, rule)).orElse(new Verdict.Accepted());
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        return fence(resource).map(Fence::stamp);
    }

    /** Reads without creating a slot, since names may be untrusted. */
    private Optional<Fence> fence(String resource) {
        return Optional.ofNullable(slots.get(ResourceName.of(resource))).map(slot -> slot.fence);
    }

    private Slot slot(String resource) {
        return slots.computeIfAbsent(ResourceName.of(resource), name -> new Slot());
    }

    /** One resource: written under its lock, read without it. */
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
