package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An entity whose inserts, updates and deletes need a fencing token, and are refused if the token is stale.
 *
 * <p>The session is given the token by {@link Fencing}. Without one, a write is refused by {@link
 * io.fenceline.guard.MissingTokenException} before its SQL is sent; with a stale one, by {@link
 * io.fenceline.guard.StaleTokenException}. A refusal marks the transaction for rollback.
 *
 * <p>Every write takes the resource's row of the fence table first, in the same transaction and on the same connection, and holds
 * it until commit; so a claim there binds all writers. With a {@link FenceColumn} the row keeps its fence too, and the condition is
 * part of the entity's own UPDATE and DELETE. The fence is judged before {@code @Version}: a stale holder is told that it is stale,
 * whatever version it has; a holder that is not stale, but whose entity was changed meanwhile, gets Hibernate's optimistic lock
 * exception as ever. Only what Hibernate finds out while it reads comes before: to merge a copy of an older version is a conflict
 * at once, whoever does it.
 *
 * <p>Subclasses of a fenced entity are fenced in the same way. Changes of its collections are its own changes, except of
 * those whose other side owns the association.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Fenced {

    /**
     * What the fence is kept for: a text in which {@code {id}} stands for the identifier and {@code {name}} for the attribute
     * of that name, which must be {@code updatable = false}. A text without them is one fence for all rows.
     *
     * <p>Values are named by {@link io.fenceline.guard.ResourceKey}, as their columns hold them: an enum by its constant, a
     * converted attribute by the database's value, an association by its key, an identifier of several attributes by these in the
     * alphabetical order of their names, separated by slashes.
     *
     * @return the name's template, for instance {@code "invoice:{id}"}
     */
    String resource();

    /**
     * How often a grant may write. All that is written in one transaction is one write.
     *
     * @return the rule
     */
    FenceRule rule() default FenceRule.AT_LEAST;
}
