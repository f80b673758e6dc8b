package io.fenceline.examples.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order. It knows nothing of locks. */
@Entity
@Table(name = "orders")
class Order {

    @Id
    private long id;

    private String state = "open";

    private String paidBy = "";

    /** For JPA. */
    protected Order() {}

    Order(long id) {
        this.id = id;
    }

    public long getId() {
        return id;
    }

    public String getState() {
        return state;
    }

    public String getPaidBy() {
        return paidBy;
    }

    void pay(String payer) {
        state = "paid";
        paidBy = payer;
    }

    void reopen() {
        state = "open";
        paidBy = "";
    }
}
