/** SQL Server. Not run against a server by our own tests: see {@link io.fenceline.jdbc.sqlserver.SqlServerDialect}. */
@NullMarked
package io.fenceline.jdbc.sqlserver;

import org.jspecify.annotations.NullMarked;
