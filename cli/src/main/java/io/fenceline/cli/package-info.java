/** The {@code fenceline} command. */
@NullMarked
package io.fenceline.cli;

import org.jspecify.annotations.NullMarked;
