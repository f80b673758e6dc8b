/** Locks and leases: {@link io.fenceline.Locks} acquires, a {@link io.fenceline.Lease} is held, its {@link io.fenceline.FencingToken} is checked where the data lives. */
@NullMarked
package io.fenceline;

import org.jspecify.annotations.NullMarked;
