/** What operators do, where products have it in common. */
@NullMarked
package io.fenceline.jdbc.catalog;

import org.jspecify.annotations.NullMarked;
