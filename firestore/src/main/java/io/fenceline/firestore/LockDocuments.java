package io.fenceline.firestore;

import com.google.cloud.firestore.DocumentReference;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Operations of {@link FirestoreLockBackend} on documents of one layout. */
interface LockDocuments extends AutoCloseable {

    Acquisition acquire(AcquireRequest request);

    Optional<Instant> extend(LockKey key, LockId lockId, long ttlMillis);

    boolean release(LockKey key, LockId lockId);

    boolean releaseAfter(LockKey key, LockId lockId, long restMillis);

    Optional<LockRecord> lookup(LockKey key);

    Optional<LockRecord> lookup(LockId lockId);

    /** Returns the optional abilities of this layout. */
    Stream<Object> abilities();

    /** Returns a document to read, to check that the store answers. */
    DocumentReference any();

    /** Closes the listeners. */
    @Override
    void close();
}
