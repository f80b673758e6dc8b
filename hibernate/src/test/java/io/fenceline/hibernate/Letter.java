package io.fenceline.hibernate;

import jakarta.persistence.Basic;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;

/** An entity that is enhanced in another class loader, to which nothing is visible but what is public. */
@Entity(name = "Letter")
@Fenced(resource = "town:{town}")
public class Letter {
    @Id
    long id = 7;

    @Basic(fetch = FetchType.LAZY)
    @Column(updatable = false)
    String town = "Basel";

    public Letter() {}
}
