package io.fenceline.testkit;

/** The operations of a backend, by which faults and counts are told apart. */
public enum BackendOperation {
    /** {@link io.fenceline.spi.LockBackend#acquire}. */
    ACQUIRE,
    /** {@link io.fenceline.spi.LockBackend#extend}. */
    EXTEND,
    /** {@link io.fenceline.spi.LockBackend#release}. */
    RELEASE,
    /** {@link io.fenceline.spi.LockBackend#releaseAfter}. */
    RELEASE_AFTER,
    /** {@link io.fenceline.spi.Succession#succeed}. */
    SUCCEED,
    /** Both forms of {@code lookup}, and {@link io.fenceline.spi.LockBackend#isLocked}. */
    LOOKUP,
    /** The delivery of one {@link io.fenceline.spi.ReleaseSignals.Signal} to one listener. */
    SIGNAL
}
