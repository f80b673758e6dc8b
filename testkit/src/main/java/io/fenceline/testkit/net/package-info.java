/** Networks that fail on demand: a TCP proxy with faults, which counts round trips as well. */
@NullMarked
package io.fenceline.testkit.net;

import org.jspecify.annotations.NullMarked;
