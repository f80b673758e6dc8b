/** A backend in the memory of one process, as strict as the strictest real one. */
@NullMarked
package io.fenceline.memory;

import org.jspecify.annotations.NullMarked;
