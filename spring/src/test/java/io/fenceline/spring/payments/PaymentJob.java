package io.fenceline.spring.payments;

import io.fenceline.spring.Locked;

/** A job whose method is visible in this package only. */
public class PaymentJob {

    @Locked("payments")
    void pay() {}
}
