/** Interfaces that a store implements: atomic attempts on its own clock, without waiting and retries. */
@NullMarked
package io.fenceline.spi;

import org.jspecify.annotations.NullMarked;
