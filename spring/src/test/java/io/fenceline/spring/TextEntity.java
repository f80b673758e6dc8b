package io.fenceline.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the table of texts, for JPA. It knows nothing of fences. */
@Entity
@Table(name = "texts")
class TextEntity {

    @Id
    String name;

    String text;
}
