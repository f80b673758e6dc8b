/** A ledger that only the leader of a group of nodes appends to, and that refuses a leader of the past. */
@NullMarked
package io.fenceline.examples.ledger;

import org.jspecify.annotations.NullMarked;
