package io.fenceline.spring.payments;

import io.fenceline.spring.Locked;

/** For subclasses in other packages. */
public class RefundJob {

    /** Creates the job. */
    public RefundJob() {}

    @Locked("refunds")
    protected void refund() {}
}
