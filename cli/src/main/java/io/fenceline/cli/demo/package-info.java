/** {@code fenceline demo}: a stale holder writes to a table without a guard, then to a guarded one. */
@NullMarked
package io.fenceline.cli.demo;

import org.jspecify.annotations.NullMarked;
