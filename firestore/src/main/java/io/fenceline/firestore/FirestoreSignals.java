package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.ListenerRegistration;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.ReleaseSignals;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Wakes waiters by snapshot listeners of the locks' documents. The first snapshot shows how things are after the listening began,
 * so no release between a refusal and the subscription is missed.
 *
 * <p>Each listener is a stream of its own, and a connection carries a hundred streams. So that listeners cannot crowd out the
 * calls, there are at most {@value #MOST_LISTENERS} of them; further waiters are not signalled and ask by themselves.
 */
final class FirestoreSignals implements ReleaseSignals, AutoCloseable {

    private static final int MOST_LISTENERS = 50;

    private final FirestoreLink link;
    private final Function<LockKey, DocumentReference> documents;
    private final Semaphore streams = new Semaphore(MOST_LISTENERS);
    private final Set<Listening> open = ConcurrentHashMap.newKeySet();

    /** Listeners may ask the store, which a thread of the client must not wait for. */
    private final ThreadPoolExecutor teller = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            FirestoreSignals::daemon,
            new ThreadPoolExecutor.DiscardPolicy());

    FirestoreSignals(FirestoreLink link, Function<LockKey, DocumentReference> documents) {
        this.link = link;
        this.documents = documents;
        teller.allowCoreThreadTimeOut(true);
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        if (!streams.tryAcquire()) {
            return () -> {};
        }
        Listening listening = new Listening(listener);
        open.add(listening);
        try {
            listening.start(key);
        } catch (BackendException e) { // the waiter's next attempt tells what is wrong
            listening.close();
        }
        return listening;
    }

    @Override
    public void close() {
        open.forEach(Listening::close);
        teller.shutdownNow();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-firestore-signals");
        thread.setDaemon(true);
        return thread;
    }

    private final class Listening implements Subscription {

        private final Consumer<Signal> listener;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable ListenerRegistration registration;

        Listening(Consumer<Signal> listener) {
            this.listener = listener;
        }

        void start(LockKey key) {
            registration = link.guarded(
                    Effect.NONE,
                    () -> documents.apply(key).addSnapshotListener(teller, (snapshot, failure) -> {
                        // A listener that fails for good tells it once; the waiter asks and learns why.
                        if (snapshot == null || !LockDocument.isLeased(snapshot)) {
                            tell();
                        }
                    }));
            if (ended.get()) {
                remove();
            }
        }

        private void tell() {
            if (!ended.get()) {
                listener.accept(new Signal.Released());
            }
        }

        @Override
        public void close() {
            if (ended.compareAndSet(false, true)) {
                open.remove(this);
                streams.release();
                remove();
            }
        }

        private void remove() {
            ListenerRegistration started = registration;
            registration = null;
            if (started != null) {
                try {
                    started.remove();
                } catch (RuntimeException clientIsClosed) {
                    // which has ended the stream as well
                }
            }
        }
    }
}
