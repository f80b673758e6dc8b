/** SQL without knowledge of any product: statements, scripts, errors, tables, and transactions of our own. */
@NullMarked
package io.fenceline.jdbc.sql;

import org.jspecify.annotations.NullMarked;
