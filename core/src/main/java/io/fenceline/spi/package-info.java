/** What a store implements: single atomic attempts on its own clock, without waiting and without retries. */
@NullMarked
package io.fenceline.spi;

import org.jspecify.annotations.NullMarked;
