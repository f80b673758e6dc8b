/**
 * A Spring Boot application whose orders are paid under a lock, whose report is made by the leader, and whose page shows how the commit of
 * a stale holder is refused.
 */
@NullMarked
package io.fenceline.examples.orders;

import org.jspecify.annotations.NullMarked;
