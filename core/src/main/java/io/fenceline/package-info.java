/** Locks and leases: {@link io.fenceline.Locks} acquires a {@link io.fenceline.Lease}, whose {@link io.fenceline.FencingToken} is
 * checked where the data is. */
@NullMarked
package io.fenceline;

import org.jspecify.annotations.NullMarked;
