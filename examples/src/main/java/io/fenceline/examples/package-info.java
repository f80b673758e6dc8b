/** Small programs that show one thing each. The Java in README.md and docs/ is taken from them. */
@NullMarked
package io.fenceline.examples;

import org.jspecify.annotations.NullMarked;
