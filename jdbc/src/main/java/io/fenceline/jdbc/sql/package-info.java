/** SQL without knowledge of any product: statements, scripts, errors, tables. */
@NullMarked
package io.fenceline.jdbc.sql;

import org.jspecify.annotations.NullMarked;
