/** State of a command: environment variables, standard streams and its store. */
@NullMarked
package io.fenceline.cli.context;

import org.jspecify.annotations.NullMarked;
