package io.fenceline.hibernate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.hibernate.annotations.ValueGenerationType;

/**
 * Marks the attribute of a {@link Fenced} entity that stores the greatest token that wrote the row. The guard sets it and
 * overwrites what the program assigns.
 *
 * <p>Its type is {@code long} or {@link Long}, or {@link String} for the text of 15 digits. The column belongs to the entity's
 * first table. One that is {@code NOT NULL DEFAULT 0} gives the shortest SQL; a column that may be null is compared as 0.
 *
 * <p>It is for other code that writes the row, through {@link io.fenceline.jdbc.guard.FencedTable} or a condition of its own, and for
 * diagnosis. It makes the WHERE longer and saves nothing: the fence table is still checked, since a claim there must bind the row. A
 * numeric column does not show which lock its token is from.
 */
@Documented
@Target({ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ValueGenerationType(generatedBy = FenceGeneration.class)
public @interface FenceColumn {}
