/** Meters, spans and log fields of locks, guards and elections. */
@NullMarked
package io.fenceline.micrometer;

import org.jspecify.annotations.NullMarked;
