/** H2, in the process that locks. */
@NullMarked
package io.fenceline.jdbc.h2;

import org.jspecify.annotations.NullMarked;
