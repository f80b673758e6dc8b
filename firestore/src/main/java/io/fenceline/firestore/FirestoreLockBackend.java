package io.fenceline.firestore;

import com.google.cloud.firestore.Firestore;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locks on Cloud Firestore in native mode.
 *
 * <p>A lock is one document, {@code PREFIX_locks/KEY}, which holds the token counter and is never deleted; with
 * SyncGuard's {@link DocumentLayout} it has another structure. Tokens count from 1 for each key ({@link
 * io.fenceline.spi.TokenMode#COUNTER}).
 *
 * <p>Time is the store's: the read time in each reply. An operation reads the document and commits on the condition that it has not
 * been written since; that takes two round trips, one if nothing changes. A decision at the read time is still valid at the commit,
 * since the document is the same. A lease ends a ttl after the read time, so it is shorter than its ttl by the duration of the
 * commit, and never longer.
 *
 * <p>The store holds no lock between read and commit. After a conflict the operation is retried a few times; an acquire that loses
 * each time is contended.
 */
public final class FirestoreLockBackend implements LockBackend {

    private final FirestoreLink link;
    private final boolean ownsClient;
    private final LockDocuments documents;

    private FirestoreLockBackend(Firestore client, boolean ownsClient, FirestoreLockOptions options) {
        this.link = new FirestoreLink(client, options.commandTimeout());
        this.ownsClient = ownsClient;
        this.documents = options.layout().on(link, options.redaction());
    }

    /**
     * Opens a store with a client of our own. Sends a request, so that a wrong address fails here.
     *
     * @param uri an address as {@link FirestoreBackendProvider} describes it; its prefix or layout overrides that of the
     *     options
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if the address is malformed; the message names the fix
     * @throws io.fenceline.BackendException if the store cannot be reached or refuses us
     */
    public static FirestoreLockBackend open(String uri, FirestoreLockOptions options) {
        FirestoreAddress address = FirestoreAddress.parse(uri);
        FirestoreLockOptions completed =
                address.layout().map(options::withLayout).orElse(options);
        FirestoreLockBackend backend =
                new FirestoreLockBackend(address.client(options.commandTimeout()), true, completed);
        try {
            backend.ping(options.commandTimeout());
            return backend;
        } catch (RuntimeException e) {
            backend.close();
            throw e;
        }
    }

    /**
     * Opens a backend on a client of the caller's, who closes the client after the backend. Sends nothing.
     *
     * @param client a client of the database that keeps the locks
     * @param options how the backend works
     * @return a backend that the caller closes
     */
    public static FirestoreLockBackend over(Firestore client, FirestoreLockOptions options) {
        return new FirestoreLockBackend(client, false, options);
    }

    /** The first reply may take longer, as it includes connecting and authentication. */
    private void ping(Duration timeout) {
        link.read(documents.any(), link.deadline(FirestoreAddress.firstContact(timeout)));
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return documents.acquire(request);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return documents.extend(key, lockId, AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl)));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return documents.release(key, lockId);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return documents.releaseAfter(key, lockId, Checks.restMillis(rest));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return documents.lookup(key);
    }

    /** {@inheritDoc} Uses Firestore's automatic index. */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return documents.lookup(lockId);
    }

    /**
     * Returns the skew of this machine's clock to the store's, measured from its replies. For diagnosis.
     *
     * @return the skew, or empty before the first reply
     */
    public Optional<ClockSkew> clockSkew() {
        return link.clock().skew();
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return Stream.concat(Stream.of(this), documents.abilities())
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        boolean first = !link.isClosed();
        link.close();
        documents.close();
        if (first && ownsClient) {
            link.client().shutdown();
        }
    }
}
