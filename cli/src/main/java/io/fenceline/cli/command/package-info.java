/** The subcommands of {@code fenceline}, one class each. */
@NullMarked
package io.fenceline.cli.command;

import org.jspecify.annotations.NullMarked;
