package io.fenceline.spring;

/** The treatment of locked calls that are made within a transaction of the caller's. */
public enum InTransaction {

    /** Such calls throw {@link IllegalStateException}: the lock would be released before the transaction commits. */
    REFUSE,

    /**
     * The lock is kept until the caller's transaction has ended. What the transaction read before the call, and at REPEATABLE READ
     * all that it reads, can be older than the lock.
     */
    RELEASE_AFTER_COMPLETION
}
