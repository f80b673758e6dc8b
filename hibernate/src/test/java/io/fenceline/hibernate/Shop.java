package io.fenceline.hibernate;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;

/** A row with a version, fenced by the fence table, whose parcels have one fence with it. */
@Entity(name = "Shop")
@Fenced(resource = "shop:{id}")
class Shop {

    @Id
    long id;

    String name;

    @Version
    int version;

    @OneToMany(mappedBy = "shop", cascade = CascadeType.ALL, orphanRemoval = true)
    List<Parcel> parcels = new ArrayList<>();

    Shop() {}

    Shop(long id, String name) {
        this.id = id;
        this.name = name;
    }
}
