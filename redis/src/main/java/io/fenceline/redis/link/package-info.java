/** The connection to Redis: scripts, replies, errors, and the driver behind {@link io.fenceline.redis.link.RedisLink}. */
package io.fenceline.redis.link;
