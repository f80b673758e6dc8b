package io.fenceline.hibernate;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row whose fence is 15 digits of text, in a column that may be null. */
@Entity(name = "TextInvoice")
@Table(name = "text_invoice")
@Fenced(resource = "text-invoice:{id}")
class TextInvoice {

    @Id
    long id;

    String status;

    @FenceColumn
    @Column(name = "last_fence")
    String lastFence;
}
