package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Grant;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Locks on Cloud Firestore in native mode.
 *
 * <p>A lock is one document, {@code PREFIX_locks/KEY}, which keeps the token counter and is never deleted. Tokens count from 1
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

    /** Whoever is overtaken as often as this had others take the lock in front of it each time. */
    private static final int ATTEMPTS = 5;

    /** What the overtaken are told of a lease that they have not seen. */
    private static final Duration SHORTLY = Duration.ofMillis(10);

    /** One id has one lease, unless its user broke the rules; the others are looked at for the one that runs. */
    private static final int LEASES_OF_AN_ID = 10;

    private final FirestoreLink link;
    private final boolean ownsClient;
    private final FirestoreLockOptions options;
    private final Collections collections;
    private final FirestoreSignals signals;

    private FirestoreLockBackend(Firestore client, boolean ownsClient, FirestoreLockOptions options) {
        this.link = new FirestoreLink(client, options.commandTimeout());
        this.ownsClient = ownsClient;
        this.options = options;
        this.collections = new Collections(client, options.prefix());
        this.signals = new FirestoreSignals(link, collections);
    }

    /**
     * Opens a store with a client of our own. Asks the store once, so that a wrong address fails here.
     *
     * @param uri an address as {@link FirestoreBackendProvider} describes it; its prefix, if it has one, goes before that of the
     *     options
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if the address is malformed; the message names the fix
     * @throws io.fenceline.BackendException if the store cannot be reached or refuses us
     */
    public static FirestoreLockBackend open(String uri, FirestoreLockOptions options) {
        FirestoreAddress address = FirestoreAddress.parse(uri);
        FirestoreLockOptions completed =
                address.prefix().map(options::withPrefix).orElse(options);
        FirestoreLockBackend backend =
                new FirestoreLockBackend(address.client(options.commandTimeout()), true, completed);
        try {
            backend.knock();
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
    private void knock() {
        link.read(
                collections.lock("fenceline"), link.deadline(FirestoreAddress.firstContact(options.commandTimeout())));
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        ConditionalWrite write = write(request.key());
        return write.<Acquisition>attempt(ATTEMPTS, snapshot -> acquired(request, LockDocument.of(snapshot)))
                .orElseGet(() -> {
                    if (write.wasAborted()) { // by a transaction of somebody else, who need not be a holder
                        throw write.overtaken();
                    }
                    return new Contended(SHORTLY, Optional.empty());
                });
    }

    private Change<Acquisition> acquired(AcquireRequest request, LockDocument lock) {
        Optional<Grant> running = lock.running();
        if (running.isPresent()) {
            Grant grant = running.get();
            return Change.none(
                    grant.lockId().equals(request.lockId())
                            ? new Granted(grant)
                            : new Contended(lock.remaining(grant), Optional.of(grant.holder())));
        }
        if (lock.lastToken() > FencingToken.MAX_VALUE - request.tokens()) {
            throw link.errors()
                    .told(
                            ErrorCode.INTERNAL,
                            Effect.NONE,
                            "the fencing tokens of lock '" + request.key() + "' are used up: the last was "
                                    + lock.lastToken() + ", " + request.tokens() + " more were asked for",
                            null);
        }
        Grant grant = lock.granted(request);
        return Change.of(new Granted(grant), LockDocument.fieldsOf(grant));
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(AcquireRequest.requireTtl(ttl));
        return change(key, lockId, lock -> {
            Instant end = lock.now().plusMillis(ttlMillis);
            return Change.of(Optional.of(end), LockDocument.end(end));
        });
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return change(key, lockId, lock -> Change.of(Optional.of(true), LockDocument.released()))
                .isPresent();
    }

    /** Changes a running lease of an id; empty if it has none. */
    private <T> Optional<T> change(LockKey key, LockId lockId, Function<LockDocument, Change<Optional<T>>> decision) {
        ConditionalWrite write = write(key);
        return write.attempt(ATTEMPTS, snapshot -> {
                    LockDocument lock = LockDocument.of(snapshot);
                    return lock.running(lockId).isPresent() ? decision.apply(lock) : Change.none(Optional.<T>empty());
                })
                .orElseThrow(write::overtaken);
    }

    private ConditionalWrite write(LockKey key) {
        return new ConditionalWrite(link, collections.lock(key.value()));
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return record(link.read(collections.lock(key.value()), link.deadline()));
    }

    /** {@inheritDoc} Goes by the index that Firestore keeps of every field. */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return link
                .read(collections
                        .locks()
                        .whereEqualTo(LockDocument.LOCK_ID, lockId.text())
                        .limit(LEASES_OF_AN_ID))
                .getDocuments()
                .stream()
                .flatMap(found -> record(found).stream())
                .findFirst();
    }

    private Optional<LockRecord> record(DocumentSnapshot snapshot) {
        return link.reading(snapshot, found -> LockDocument.of(found).record(options.redaction()));
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
        return Stream.of(
                        this,
                        signals,
                        new FirestoreCatalog(link, collections, options.redaction()),
                        new FirestoreFenceCatalog(link, collections),
                        new FirestoreDiagnosis(link, collections))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        boolean first = !link.isClosed();
        link.close();
        signals.close();
        if (first && ownsClient) {
            link.client().shutdown();
        }
    }
}
