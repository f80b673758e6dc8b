/**
 * Guards, which refuse the writes of stale holders.
 *
 * <p>A {@link io.fenceline.guard.FenceGuard} is where the data is. It stores for each resource the greatest token that wrote or
 * claimed it, and refuses smaller ones in the same atomic step as the write. Guards are independent of locking: any source of tokens
 * works, as long as each token belongs to one holder and later holders have greater ones.
 */
@NullMarked
package io.fenceline.guard;

import org.jspecify.annotations.NullMarked;
