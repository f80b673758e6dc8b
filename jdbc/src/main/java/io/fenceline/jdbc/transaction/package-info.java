/** Transactions that guards begin and end by themselves. */
@NullMarked
package io.fenceline.jdbc.transaction;

import org.jspecify.annotations.NullMarked;
