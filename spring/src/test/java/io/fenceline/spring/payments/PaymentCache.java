package io.fenceline.spring.payments;

import jakarta.annotation.PostConstruct;

/** A bean whose callback is visible in this package only. */
public class PaymentCache {

    /** Creates the cache. */
    public PaymentCache() {}

    @PostConstruct
    void method() {}
}
