package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
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
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Release signals from snapshot listeners on lock documents. The first snapshot is taken after the subscription, so no release
 * between a refusal and the subscription is missed.
 *
 * <p>Each listener is a stream, and a connection carries a hundred streams. To leave room for calls, there are at most {@value
 * #MAX_LISTENERS} listeners; further waiters get no signals and poll.
 */
final class FirestoreSignals implements ReleaseSignals, AutoCloseable {

    private static final int MAX_LISTENERS = 50;

    private final FirestoreLink link;
    private final Function<LockKey, DocumentReference> documents;
    private final ToLongFunction<DocumentSnapshot> endMillis;
    private final Semaphore streams = new Semaphore(MAX_LISTENERS);
    private final Set<DocumentSubscription> open = ConcurrentHashMap.newKeySet();

    /** Runs listeners, which may block on the store; a client thread must not. */
    private final ThreadPoolExecutor notifier = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            FirestoreSignals::daemon,
            new ThreadPoolExecutor.DiscardPolicy());

    FirestoreSignals(
            FirestoreLink link,
            Function<LockKey, DocumentReference> documents,
            ToLongFunction<DocumentSnapshot> endMillis) {
        this.link = link;
        this.documents = documents;
        this.endMillis = endMillis;
        notifier.allowCoreThreadTimeOut(true);
    }

    @Override
    public Subscription subscribe(LockKey key, LockId waiter, Consumer<Signal> listener) {
        if (!streams.tryAcquire()) {
            return () -> {};
        }
        DocumentSubscription subscription = new DocumentSubscription(listener);
        open.add(subscription);
        try {
            subscription.start(key);
        } catch (BackendException e) { // the waiter's next attempt reports the failure
            subscription.close();
        }
        return subscription;
    }

    @Override
    public void close() {
        open.forEach(DocumentSubscription::close);
        notifier.shutdownNow();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "fenceline-firestore-signals");
        thread.setDaemon(true);
        return thread;
    }

    private final class DocumentSubscription implements Subscription {

        private final Consumer<Signal> listener;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable ListenerRegistration registration;

        /** The end of the lease as last seen; owned by the notifier's thread. */
        private long knownEndMillis = Long.MIN_VALUE;

        DocumentSubscription(Consumer<Signal> listener) {
            this.listener = listener;
        }

        void start(LockKey key) {
            registration = link.guarded(
                    Effect.NONE,
                    () -> documents.apply(key).addSnapshotListener(notifier, (snapshot, failure) -> {
                        // A listener that fails for good is called once; the waiter polls and gets the failure.
                        if (snapshot == null || !LockDocument.isLeased(snapshot) || endsSooner(snapshot)) {
                            signal();
                        }
                    }));
            if (ended.get()) {
                remove();
            }
        }

        private boolean endsSooner(DocumentSnapshot leased) {
            long before = knownEndMillis;
            knownEndMillis = endMillis.applyAsLong(leased);
            return knownEndMillis < before;
        }

        private void signal() {
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
                    // the stream has ended with it
                }
            }
        }
    }
}
