/** Events of locks, leases, guards and elections. */
@NullMarked
package io.fenceline.telemetry;

import org.jspecify.annotations.NullMarked;
