/**
 * Entities of Hibernate ORM whose writes need a fencing token.
 *
 * <p>{@link io.fenceline.hibernate.Fenced} says which, {@link io.fenceline.hibernate.Fencing} gives a session its token. Covered
 * are the writes of sessions and stateless sessions, with batching, {@code @Version}, cascades, merging and collections; bulk
 * statements are refused.
 *
 * <p>Not covered, as Hibernate does not tell of it: SQL on a connection of the program's own, also in {@code doWork}; native
 * queries that return results although they write; deletes that the database cascades; procedures. A trigger covers these. A
 * forced increment of the version takes a column's fence, but none of the fence table. Rows read through a cache of Hibernate's
 * may be as old as the cache; whether a write is stale is decided in the database.
 */
@NullMarked
package io.fenceline.hibernate;

import org.jspecify.annotations.NullMarked;
