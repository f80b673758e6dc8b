package io.fenceline.examples.payment;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Pays two orders, each with a worker that is stopped for longer than its lock lasts, and tells how often was charged. */
public final class PaymentDemo {

    private PaymentDemo() {}

    /** Runs the demonstration in a new temporary folder. */
    public static void main(String... arguments) throws Exception {
        run(Files.createTempDirectory("payment"), System.out);
    }

    static void run(Path folder, PrintStream out) throws Exception {
        try (Shop shop = new Shop(folder)) {
            out.println("Charged under the lock, the database guarded:");
            tell(shop, "order-1", shop.payWithAStop("order-1", shop.direct()), out);
            out.println("Charged through the outbox:");
            tell(shop, "order-2", shop.payWithAStop("order-2", shop.throughOutbox()), out);
        }
    }

    private static void tell(Shop shop, String order, String firstWorker, PrintStream out) throws Exception {
        out.println("  the first worker, woken up, was told: " + firstWorker);
        out.println("  " + order + " is " + shop.orders().status(order) + ", and its customer paid "
                + shop.charges(order) + (shop.charges(order) == 1 ? " time" : " times"));
    }
}
