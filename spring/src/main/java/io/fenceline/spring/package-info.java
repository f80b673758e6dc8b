/**
 * Locks, leadership and guarded transactions for Spring.
 *
 * <p>{@link io.fenceline.spring.Locked} runs a method under a lock, {@link io.fenceline.spring.LeaderOnly} on the leader only. {@link
 * io.fenceline.spring.TransactionFences} lets no transaction of such a method commit once the lock has gone to a newer holder.
 */
@NullMarked
package io.fenceline.spring;

import org.jspecify.annotations.NullMarked;
