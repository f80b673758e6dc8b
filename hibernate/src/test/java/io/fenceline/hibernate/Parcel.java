package io.fenceline.hibernate;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;

/** A row with the fence of another. */
@Entity(name = "Parcel")
@Fenced(resource = "shop:{shopId}")
class Parcel {

    @Id
    long id;

    @Column(updatable = false)
    long shopId;

    @ManyToOne
    Shop shop;

    Parcel() {}

    Parcel(long id, Shop shop) {
        this.id = id;
        this.shop = shop;
        this.shopId = shop.id;
    }
}
