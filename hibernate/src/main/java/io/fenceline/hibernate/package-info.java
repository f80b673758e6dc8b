/**
 * Entities of Hibernate ORM whose writes need a fencing token.
 *
 * <p>{@link io.fenceline.hibernate.Fenced} marks them, {@link io.fenceline.hibernate.Fencing} sets the token of a session. Covered are
 * the writes of sessions and stateless sessions, with batching, {@code @Version} and its forced increments, cascades, merging,
 * upserts and collections. Every other statement that Hibernate sends is scanned first: one that may write to a fenced table is
 * refused, be it HQL, a criteria query, native SQL, or a query with results.
 *
 * <p>Refused when the session factory is built: an identifier or attribute in a resource's name that Hibernate sends as anything but a
 * text, a whole or decimal number, a UUID or bytes; a collection that would write the rows of fenced entities, by a join column, an order
 * column or a map's key; entities of one table that are not all fenced by the same name.
 *
 * <p>Not covered: SQL on a connection of the program's own, also in {@code doWork}; procedures, views and partitions, whose text
 * names no fenced table; deletes that the database cascades. A trigger covers these, and works together with {@code @Fenced}: the
 * session shows its stamp. Rows read through a cache of Hibernate's may be as old as the cache; whether a write is stale is decided
 * in the database.
 *
 * <p>Refused when a row is written first: an identifier or attribute in a resource's name whose column compares texts loosely, by a
 * collation that ignores case for instance, or is of another kind than the values that it gets; a key that the column would round, cut
 * or fill up; and a table without transactions.
 *
 * <p>Tested with Hibernate ORM 7.4.5 on PostgreSQL, MariaDB and H2. The gate extends classes of Hibernate that are no public
 * interface and may change with any minor release: {@code JdbcServicesImpl}, {@code StandardMutationExecutorService} and {@code
 * SqlStatementLogger}. Run the tests of this module before you use another one.
 */
@NullMarked
package io.fenceline.hibernate;

import org.jspecify.annotations.NullMarked;
