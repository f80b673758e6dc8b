/** Prices of books, whose last change wins by its token: entities of Hibernate ORM, and numbers without a lock. */
@NullMarked
package io.fenceline.examples.books;

import org.jspecify.annotations.NullMarked;
