/** Locks on Redis: one server, Sentinel or Cluster. */
package io.fenceline.redis;
