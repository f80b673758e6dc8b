/** {@code fenceline demo}: a stale holder writes, once into a table that does not look and once into one that does. */
@NullMarked
package io.fenceline.cli.demo;

import org.jspecify.annotations.NullMarked;
