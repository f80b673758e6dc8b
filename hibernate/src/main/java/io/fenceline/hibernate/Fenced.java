package io.fenceline.hibernate;

import io.fenceline.guard.FenceRule;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an entity whose inserts, updates and deletes need a fencing token, and are refused if the token is stale.
 *
 * <p>{@link Fencing} sets the token of a session. Without one, a write throws {@link io.fenceline.guard.MissingTokenException} before
 * its SQL is sent; with a stale one, {@link io.fenceline.guard.StaleTokenException}. A refusal marks the transaction for rollback.
 *
 * <p>Every write first locks the resource's row of the fence table, in the same transaction and on the same connection, until
 * commit; so a claim there binds all writers. With a {@link FenceColumn} the row stores its fence too, and the entity's own UPDATE
 * and DELETE check it. The fence is checked before {@code @Version}: a stale holder gets a stale token exception, whatever version it
 * has; a current holder whose entity was changed meanwhile gets Hibernate's optimistic lock exception as usual. Only checks that
 * Hibernate makes while reading come earlier: merging a copy of an older version is an optimistic lock failure at once.
 *
 * <p>Subclasses of a fenced entity are fenced in the same way. Changes of its collections count as its own, except for
 * associations owned by the other side.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Fenced {

    /**
     * The template of the resource name, in which {@code {id}} stands for the identifier and {@code {name}} for the attribute
     * of that name, which the program assigns before the insert, and which must be {@code updatable = false} and no array or
     * embedded value. Without placeholders, all rows share one fence. All entities of a table have the same template.
     *
     * <p>A value is formatted by {@link io.fenceline.guard.ResourceKey}, as Hibernate sends it to the column: a converted
     * attribute is the database's value, an enum its number or its name, an association its key, an identifier of several attributes these in the
     * alphabetical order of their names, separated by slashes. It must be sent as a text, a whole or decimal number, a UUID or bytes, to a column of that
     * kind: what the database or the driver would convert, as times are, is refused. Separate several placeholders by slashes: a slash or
     * a percent sign in one of several values is escaped, as in {@link io.fenceline.guard.ResourceKey#part}, so that rows of different
     * values have different names.
     *
     * <p>{@code table/{id}} is the name by which other guards and triggers know the row, and by which claims are made that bind all of them.
     *
     * @return the template, for instance {@code "invoice/{id}"}
     */
    String resource();

    /**
     * The number of writes per grant. All writes of one transaction count as one, those that a rollback to a savepoint has undone
     * included: roll the whole transaction back under {@code ONCE}.
     *
     * @return the rule
     */
    FenceRule rule() default FenceRule.AT_LEAST;
}
