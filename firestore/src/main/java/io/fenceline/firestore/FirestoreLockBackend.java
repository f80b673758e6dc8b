package io.fenceline.firestore;

import com.google.cloud.firestore.Firestore;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locks on Cloud Firestore in native mode.
 *
 * <p>A lock is one document, {@code PREFIX_locks/KEY}, which keeps the token counter and is never deleted; or it is kept as SyncGuard
 * does it ({@link DocumentLayout}). Tokens count from 1
 * for each key ({@link io.fenceline.spi.TokenMode#COUNTER}).
 *
 * <p>Time is the store's: the read time that each answer carries. An operation reads the document and commits on the condition
 * that nobody has written it since; two round trips, one if nothing changes. What was decided at the read time is still true at
 * the commit, since the document is the same. A lease ends a ttl after the read time, so the holder has it for a little less
 * than its ttl, by the time that the commit takes, and never for longer.
 *
 * <p>Nothing is locked in the store between read and commit. Whoever is overtaken in between decides anew on what is there then,
 * a few times; who is overtaken each time is told that the lock is taken.
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
     * Opens a store with a client of our own. Asks the store once, so that a wrong address fails here.
     *
     * @param uri an address as {@link FirestoreBackendProvider} describes it; its prefix, if it has one, or its layout goes before that of
     *     the options
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
            backend.knock(options.commandTimeout());
            return backend;
        } catch (RuntimeException e) {
            backend.close();
            throw e;
        }
    }

    /**
     * Opens a backend on a client of the caller's, who closes the client after the backend. Asks nothing.
     *
     * @param client a client of the database that keeps the locks
     * @param options how the backend works
     * @return a backend that the caller closes
     */
    public static FirestoreLockBackend over(Firestore client, FirestoreLockOptions options) {
        return new FirestoreLockBackend(client, false, options);
    }

    /** The first answer may take longer: a client, a connection and credentials are made for it. */
    private void knock(Duration timeout) {
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
    public Optional<LockRecord> lookup(LockKey key) {
        return documents.lookup(key);
    }

    /** {@inheritDoc} Goes by the index that Firestore keeps of every field. */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return documents.lookup(lockId);
    }

    /**
     * Returns how far this machine's clock is from the store's, as the answers showed. For people and dashboards.
     *
     * @return the skew, or empty if nothing was read yet
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
