/**
 * The published contracts, and the doubles that tests of locks need.
 *
 * <p>Whoever writes a backend supplies a {@link io.fenceline.testkit.BackendFixture} and extends {@link
 * io.fenceline.testkit.LockBackendContract} and the contracts of the abilities that the backend has.
 */
@NullMarked
package io.fenceline.testkit;

import org.jspecify.annotations.NullMarked;
