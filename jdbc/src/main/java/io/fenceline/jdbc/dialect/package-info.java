/** What the database products have in common; each is a {@link io.fenceline.jdbc.dialect.Dialect}. */
@NullMarked
package io.fenceline.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
