/**
 * Effects on third parties that cannot check tokens: an {@link io.fenceline.jdbc.outbox.Outbox} keeps a message in the
 * transaction of the guarded write, and an {@link io.fenceline.jdbc.outbox.OutboxRelay} delivers it afterwards, at least
 * once and with a key by which the receiver tells repetitions.
 */
@NullMarked
package io.fenceline.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
