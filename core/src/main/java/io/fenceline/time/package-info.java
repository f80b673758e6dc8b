/** Clocks and delays; replace them to control time in tests. */
@NullMarked
package io.fenceline.time;

import org.jspecify.annotations.NullMarked;
