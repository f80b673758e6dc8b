package io.fenceline.firestore;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ClientProcessFixture;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Collections that nobody else uses. An emulator keeps nothing over its end, so a restart is that all clients come anew. */
final class FirestoreFixture implements ClientProcessFixture {

    private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
    private final TestStore store;
    private final String prefix = TestStore.freshPrefix();

    String prefix() {
        return prefix;
    }

    FirestoreFixture(TestStore store) {
        this.store = store;
    }

    @Override
    public String uri() {
        return store.uri(prefix);
    }

    @Override
    public FirestoreLockBackend open() {
        return opened(
                FirestoreLockBackend.over(TestStore.sharedClient(), options().withPrefix(prefix)));
    }

    /** Opens it with a client that ends with it. */
    FirestoreLockBackend openByUri() {
        return opened(FirestoreLockBackend.open(uri(), options()));
    }

    /** Patient, since many tests run on few processors. */
    private static FirestoreLockOptions options() {
        return FirestoreLockOptions.defaults().withCommandTimeout(Duration.ofSeconds(20));
    }

    private FirestoreLockBackend opened(FirestoreLockBackend backend) {
        open.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(store.isReal() ? 3_000 : 500);
    }

    @Override
    public int racers() {
        return 4;
    }

    @Override
    public int cycles() {
        return Integer.getInteger("fenceline.firestore.cycles", 5);
    }

    @Override
    public List<String> internalNames(LockKey key, LockId lockId) {
        return List.of(
                DocumentId.of(key.value()) + "~0",
                "~0" + key,
                "~1",
                "~2" + key,
                "~3_x__",
                prefix + "_locks/" + key,
                prefix + "_fences/" + key,
                key + "/" + key,
                "/" + key,
                lockId.text(),
                "lastToken");
    }

    @Override
    public void restart() {
        closeAll();
    }

    @Override
    public void close() {
        closeAll();
        if (store.isReal()) {
            TestStore.remove(prefix);
        }
    }

    private void closeAll() {
        open.forEach(LockBackend::close);
        open.clear();
    }
}
