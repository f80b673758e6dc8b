/** What database products have in common, and the {@link io.fenceline.jdbc.product.Product} that each of them is. */
@NullMarked
package io.fenceline.jdbc.product;

import org.jspecify.annotations.NullMarked;
