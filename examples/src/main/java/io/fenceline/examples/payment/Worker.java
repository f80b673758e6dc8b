package io.fenceline.examples.payment;

import io.fenceline.Lease;

/** Pays orders; there are two ways. */
public interface Worker {

    /**
     * Pays an order, if it is open.
     *
     * @param order the order
     * @param lease the order's lock
     * @param stop what happens to the process between its look at the order and the payment: mostly nothing
     */
    void pay(String order, Lease lease, Runnable stop) throws Exception;
}
