/**
 * The payment that was charged twice although the database was fenced, and the same payment through an outbox. {@link
 * io.fenceline.examples.payment.PaymentDemo} runs both.
 */
@NullMarked
package io.fenceline.examples.payment;

import org.jspecify.annotations.NullMarked;
