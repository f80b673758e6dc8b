/**
 * The resource side: what refuses the writes of stale holders.
 *
 * <p>A {@link io.fenceline.guard.FenceGuard} stands where the data is. It remembers for each resource the greatest token that
 * wrote or was announced, and refuses smaller ones in the same atomic step as the write. It knows tokens and nothing of
 * locking: where a token comes from is not its business, as long as each belongs to one holder and later holders have
 * greater ones.
 */
@NullMarked
package io.fenceline.guard;

import org.jspecify.annotations.NullMarked;
