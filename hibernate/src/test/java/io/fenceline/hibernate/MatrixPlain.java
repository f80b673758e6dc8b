package io.fenceline.hibernate;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row that is not fenced, from which others are made. */
@Entity(name = "MatrixPlain")
class MatrixPlain {

    @Id
    long id;

    String text;

    MatrixPlain() {}

    MatrixPlain(long id, String text) {
        this.id = id;
        this.text = text;
    }
}
