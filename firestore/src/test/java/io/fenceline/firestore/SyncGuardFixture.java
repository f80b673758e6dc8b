package io.fenceline.firestore;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/** Collections in SyncGuard's layout. The store's clock is moved by hand, where its answers are read. */
final class SyncGuardFixture implements BackendFixture {

    static final Duration GRACE = Duration.ofSeconds(1);

    private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);
    private final String prefix = TestStore.freshPrefix();

    String locks() {
        return prefix + "_locks";
    }

    String fences() {
        return prefix + "_fence_counters";
    }

    @Override
    public FirestoreLockBackend open() {
        DocumentLayout layout = DocumentLayout.syncGuard(locks(), fences(), time -> time.plus(passed.get()));
        FirestoreLockBackend backend = FirestoreLockBackend.over(
                TestStore.sharedClient(),
                FirestoreLockOptions.defaults().withLayout(layout).withCommandTimeout(Duration.ofSeconds(20)));
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public boolean keepsHolder() {
        return false;
    }

    @Override
    public Duration grace() {
        return GRACE;
    }

    @Override
    public boolean takes(LockKey key) {
        return !key.value().matches("(?s).*/.*|\\.\\.?|__.*__");
    }

    @Override
    public void passTime(Duration time) {
        passed.updateAndGet(before -> before.plus(time));
    }

    /** Long enough for a slow machine, since nobody waits for it. */
    @Override
    public Duration shortTtl() {
        return Duration.ofSeconds(20);
    }

    @Override
    public int racers() {
        return 4;
    }

    @Override
    public int cycles() {
        return Integer.getInteger("fenceline.firestore.cycles", 3);
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of("fence:" + key, "fence:fence:" + key, lockId.text());
    }

    @Override
    public void restart() {
        closeAll();
    }

    @Override
    public void close() {
        closeAll();
        if (TestStore.get().isReal()) {
            TestStore.remove(prefix);
        }
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
    }
}
