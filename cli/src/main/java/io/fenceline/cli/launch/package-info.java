/** What the launcher script {@code ./fenceline} has done once so that later starts are quick. */
@NullMarked
package io.fenceline.cli.launch;

import org.jspecify.annotations.NullMarked;
