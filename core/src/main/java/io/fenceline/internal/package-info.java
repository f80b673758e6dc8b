/** The engine: waits, retries and renews around a backend, once for all backends. Not exported. */
@NullMarked
package io.fenceline.internal;

import org.jspecify.annotations.NullMarked;
