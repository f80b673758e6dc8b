package io.fenceline.hibernate;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;

/** A row with a version, a fence in a column that is numeric, and a collection. */
@Entity(name = "Invoice")
@Fenced(resource = "invoice:{id}")
class Invoice {

    @Id
    long id;

    String status;

    @Version
    int version;

    @FenceColumn
    @Column(nullable = false)
    long lastFence;

    @ElementCollection
    @CollectionTable(name = "invoice_tags", joinColumns = @JoinColumn(name = "invoice"))
    List<String> tags = new ArrayList<>();

    Invoice() {}

    Invoice(long id, String status) {
        this.id = id;
        this.status = status;
    }
}
