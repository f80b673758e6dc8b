package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.HashSet;
import java.util.Set;

/** A row with a fence in a column and a collection; each grant writes once. */
@Entity
@Table(name = "column_basket")
@Fenced(resource = "basket:{id}", rule = FenceRule.ONCE)
class ColumnBasket {

    @Id
    String id;

    String text;

    @FenceColumn
    @Column(nullable = false)
    long lastFence;

    @ElementCollection
    @CollectionTable(name = "column_basket_items")
    Set<String> items = new HashSet<>();

    ColumnBasket() {}

    ColumnBasket(String id) {
        this.id = id;
    }
}
