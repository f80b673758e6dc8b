package io.fenceline.spring.payments;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The work of a listener within its transaction: books an amount, and does what the amount says. */
public class PaymentBooks {

    private final List<String> called = new CopyOnWriteArrayList<>();
    private final PaymentDatabase database;

    PaymentBooks(PaymentDatabase database) {
        this.database = database;
    }

    /** The amounts for which a listener was called, in this order. */
    public List<String> called() {
        return called;
    }

    public void book(String amount) {
        called.add(amount);
        database.book(amount);
        if (amount.startsWith("overtaken")) {
            database.guard.claim("invoice/42", stamp(36)); // on a connection of its own
        }
        if (amount.startsWith("failing once") && called.size() == 3) {
            throw new IllegalStateException("failing once");
        }
    }
}
