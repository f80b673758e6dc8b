package io.fenceline.firestore;

import com.google.cloud.firestore.Transaction;

/** Reads and writes of a guarded transaction, without a result. */
@FunctionalInterface
public interface TransactionTask {

    /**
     * Reads, then writes. Called again after a conflict.
     *
     * @param transaction the transaction
     * @throws Exception if the task fails; nothing is changed
     */
    void run(Transaction transaction) throws Exception;
}
