/** Locks in a relational database that is reached through a {@link javax.sql.DataSource}. */
@NullMarked
package io.fenceline.jdbc;

import org.jspecify.annotations.NullMarked;
