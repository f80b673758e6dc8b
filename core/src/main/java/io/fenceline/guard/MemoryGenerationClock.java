package io.fenceline.guard;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Generation clock in the memory of one process. Not persistent. */
public final class MemoryGenerationClock implements GenerationClock {

    private final Map<LockKey, FencingToken> last = new ConcurrentHashMap<>();

    /** Creates a clock without numbers. */
    public MemoryGenerationClock() {}

    @Override
    public FencingToken next(String name) {
        return last.merge(LockKey.of(name), FencingToken.of(1), (before, one) -> FencingToken.of(before.value() + 1));
    }

    @Override
    public Optional<FencingToken> current(String name) {
        return Optional.ofNullable(last.get(LockKey.of(name)));
    }

    @Override
    public void raise(String name, FencingToken atLeast) {
        last.merge(LockKey.of(name), atLeast, (before, wanted) -> before.isNewerThan(wanted) ? before : wanted);
    }
}
