/** Text and JSON results, error messages and exit codes. */
@NullMarked
package io.fenceline.cli.output;

import org.jspecify.annotations.NullMarked;
