/**
 * Guards in a relational database: stale holders cannot write.
 *
 * <p>{@link io.fenceline.jdbc.guard.JdbcFenceGuard} protects whatever is written in one transaction, {@link
 * io.fenceline.jdbc.guard.FencedTable} the rows of one table, {@link io.fenceline.jdbc.guard.FencedStream} a log that only
 * grows. PostgreSQL, MariaDB, H2 and SQLite are known.
 */
@NullMarked
package io.fenceline.jdbc.guard;

import org.jspecify.annotations.NullMarked;
