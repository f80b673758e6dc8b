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

/** The operations of {@link FirestoreLockBackend}, on documents of a certain layout. */
interface LockDocuments extends AutoCloseable {

    Acquisition acquire(AcquireRequest request);

    Optional<Instant> extend(LockKey key, LockId lockId, long ttlMillis);

    boolean release(LockKey key, LockId lockId);

    Optional<LockRecord> lookup(LockKey key);

    Optional<LockRecord> lookup(LockId lockId);

    /** What these documents allow beyond locking. */
    Stream<Object> abilities();

    /** A document to read, in order to see whether the store answers. */
    DocumentReference any();

    /** Ends the signals. */
    @Override
    void close();
}
