package io.fenceline.hibernate;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** A row that the database numbers. */
@Entity(name = "Numbered")
@Fenced(resource = "numbered:{id}")
class Numbered {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    String text;
}
