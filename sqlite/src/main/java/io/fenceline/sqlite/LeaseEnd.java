package io.fenceline.sqlite;

/**
 * The end of a lease, in the terms of the machine that granted it.
 *
 * @param bootId the boot in which it was granted or last extended; empty if it is not known
 * @param uptimeMillis the end as time since that boot
 * @param wallMillis the end as time since 1970
 * @param ttlMillis how long the lease ran from its grant or last extension
 */
record LeaseEnd(String bootId, long uptimeMillis, long wallMillis, long ttlMillis) {}
