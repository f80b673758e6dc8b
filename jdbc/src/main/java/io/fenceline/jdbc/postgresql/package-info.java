/** PostgreSQL, from version 13 on. */
@NullMarked
package io.fenceline.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
