package io.fenceline.hibernate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.hibernate.annotations.ValueGenerationType;

/**
 * The attribute of a {@link Fenced} entity that keeps the greatest token that wrote the row. It is filled in by the guard; what
 * the program assigns is overwritten.
 *
 * <p>Its type is {@code long} or {@link Long}, or {@link String} for the text of 15 digits. The column belongs to the entity's
 * first table. One that is {@code NOT NULL DEFAULT 0} gives the shortest SQL; a column that may be null is compared as 0.
 *
 * <p>It is for those who write the row without Hibernate, by {@link io.fenceline.jdbc.guard.FencedTable} or a condition of their
 * own, and for people who look at it. It costs a longer WHERE, and saves nothing: the fence table is asked as without it, since a
 * claim there must bind the row. A column of numbers does not know which lock its token is from.
 */
@Documented
@Target({ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ValueGenerationType(generatedBy = FenceGeneration.class)
public @interface FenceColumn {}
