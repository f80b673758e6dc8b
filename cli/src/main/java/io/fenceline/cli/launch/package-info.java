/** Run once by the launcher script {@code ./fenceline}, to make later starts faster. */
@NullMarked
package io.fenceline.cli.launch;

import org.jspecify.annotations.NullMarked;
