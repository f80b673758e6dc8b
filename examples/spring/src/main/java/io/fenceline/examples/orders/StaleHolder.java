package io.fenceline.examples.orders;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.spring.LockTemplate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Plays a holder that is paused past the end of its lease, as by garbage collection or a stopped machine: its lease has a ttl of two seconds
 * and is not renewed. Meanwhile another pays the order. Then the first one goes on, and believes that it still holds the lock.
 */
@Component
class StaleHolder {

    private static final LockOptions PAUSED =
            LockOptions.defaults().withTtl(Duration.ofSeconds(2)).withoutRenewal();

    private final LockTemplate locks;
    private final TransactionTemplate transactions;
    private final OrderRepository orders;
    private final OrderService service;

    StaleHolder(LockTemplate locks, TransactionTemplate transactions, OrderRepository orders, OrderService service) {
        this.locks = locks;
        this.transactions = transactions;
        this.orders = orders;
        this.service = service;
    }

    /** Plays it for one order, and returns what happened. */
    List<String> play(long id) throws InterruptedException {
        String key = "order:" + id;
        List<String> story = new CopyOnWriteArrayList<>();
        service.reopen(id);
        try {
            locks.call(key, PAUSED, List.of(key), lease -> {
                story.add("A takes the lock with token " + lease.token() + " and begins a transaction.");
                transactions.executeWithoutResult(status -> {
                    Order read = orders.findById(id).orElseThrow();
                    story.add("A reads that order " + id + " is " + read.getState() + ". Then A is paused.");
                    awaitLoss(lease);
                    story.add("The lease of A has run out. B takes the lock and pays the order.");
                    payAsAnotherNode(id);
                    story.add("A wakes up, still believes that it holds the lock, and commits its own payment …");
                    read.pay("A");
                });
                story.add("The commit of A went through: B's payment is overwritten. This must not happen.");
                return true;
            });
        } catch (StaleTokenException e) {
            story.add("… which the database refuses: " + e.getMessage() + ".");
        }
        Order order = orders.findById(id).orElseThrow();
        story.add("Order " + id + " is " + order.getState() + ", by " + order.getPaidBy() + ".");
        return story;
    }

    private static void awaitLoss(Lease lease) {
        lease.lost().toCompletableFuture().join();
    }

    /** On a thread of its own, which has neither the lock nor the transaction of this one. */
    private void payAsAnotherNode(long id) {
        Thread other = new Thread(() -> service.pay(id, "B"), "node B");
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
