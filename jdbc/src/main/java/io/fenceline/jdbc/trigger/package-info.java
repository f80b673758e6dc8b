/**
 * Guards in a database's own triggers: also code that never heard of tokens cannot write without one.
 *
 * <p>{@code TriggerDialect.named("postgresql").installation(GuardedTable.of("orders", "id"))} writes the DDL. A writer shows its
 * stamp with {@link io.fenceline.jdbc.trigger.SessionStamp}, or has {@link io.fenceline.jdbc.trigger.StampedWrites} do it, and
 * reads refusals with {@link io.fenceline.jdbc.trigger.TriggerRefusals}.
 */
@NullMarked
package io.fenceline.jdbc.trigger;

import org.jspecify.annotations.NullMarked;
