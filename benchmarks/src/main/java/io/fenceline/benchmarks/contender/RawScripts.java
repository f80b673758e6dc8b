package io.fenceline.benchmarks.contender;

/**
 * The scripts of the raw Redis drivers: a lock with a lease and a token by the server's clock, in one hash as ours is, but with
 * nothing else: no holder, no queue, no repeated requests.
 */
final class RawScripts {

    /** Keeps out of the way of others that use keys as they are. */
    static final String PREFIX = "raw:";

    static final String TTL_MILLIS = "30000";

    /** Key, owner and ttl; returns the token, or -1 if the lock is taken. */
    static final String ACQUIRE = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local lock = redis.call('HMGET', KEYS[1], 'id', 'until', 'fence')
            if lock[1] and tonumber(lock[2]) > now then
              return -1
            end
            local token = math.max(tonumber(lock[3] or 0) + 1, math.floor(now / 1000))
            redis.call('HSET', KEYS[1], 'id', ARGV[1], 'until', now + ARGV[2] * 1000, 'fence', token)
            redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
            return token
            """;

    /** Key and owner; returns whether the lock was the owner's. */
    static final String RELEASE = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local lock = redis.call('HMGET', KEYS[1], 'id', 'until')
            if lock[1] == ARGV[1] and tonumber(lock[2]) > now then
              return redis.call('HDEL', KEYS[1], 'id')
            end
            return 0
            """;

    private RawScripts() {}
}
