/** The only code that reads a clock or waits; replace it to move time by hand. */
@NullMarked
package io.fenceline.time;

import org.jspecify.annotations.NullMarked;
