package io.fenceline.examples.orders;

import io.fenceline.spring.Locked;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Pays orders, each by one node at a time. */
@Service
class OrderService {

    private final OrderRepository orders;

    OrderService(OrderRepository orders) {
        this.orders = orders;
    }

    /** Pays an order once. The lock is released after the commit, and a holder that lost it cannot commit. */
    @Locked("order:#{#id}")
    @Transactional
    public void pay(long id, String payer) {
        Order order = orders.findById(id).orElseThrow(() -> new IllegalArgumentException("no order " + id));
        if (order.getState().equals("open")) {
            order.pay(payer);
        }
    }

    /** Opens an order again, for another try on the page. */
    @Locked("order:#{#id}")
    @Transactional
    public void reopen(long id) {
        orders.findById(id).ifPresentOrElse(Order::reopen, () -> orders.save(new Order(id)));
    }
}
