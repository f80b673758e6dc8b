package io.fenceline.examples.books;

import io.fenceline.hibernate.FenceColumn;
import io.fenceline.hibernate.Fenced;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A book whose price is written by whoever was given the greatest token. */
@Entity
@Fenced(resource = "book/{id}")
public class Book {

    @Id
    private long id;

    private long price;

    @FenceColumn
    @Column(name = "last_fence", nullable = false)
    private long lastFence;

    /** Called by Hibernate. */
    protected Book() {}

    /** Makes a book that is for free. */
    public Book(long id) {
        this.id = id;
    }

    /** Returns the price. */
    public long price() {
        return price;
    }

    /** Changes the price. */
    public void price(long newPrice) {
        price = newPrice;
    }

    /** Returns the token that the price is from. */
    public long lastFence() {
        return lastFence;
    }
}
