package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Fenced by the fence table. */
@Entity
@Table(name = "note")
@Fenced(resource = "{id}", rule = FenceRule.AT_LEAST)
class Note implements Text {

    @Id
    @Column(length = 1_000)
    String id;

    @Column(length = 1_000)
    String text;

    @Override
    public void name(String name) {
        id = name;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public void text(String written) {
        text = written;
    }
}
