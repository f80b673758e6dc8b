/** A Spring Integration {@code LockRegistry} on {@link io.fenceline.Locks}. */
@org.jspecify.annotations.NullMarked
package io.fenceline.integration;
