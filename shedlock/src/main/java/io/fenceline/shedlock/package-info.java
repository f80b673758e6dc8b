/** A ShedLock {@code LockProvider} on {@link io.fenceline.Locks}. */
@org.jspecify.annotations.NullMarked
package io.fenceline.shedlock;
