package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;

/**
 * The fences of one Redis: one server, a master that Sentinels watch, or a cluster. It is where the guarded data is, which
 * need not be where the locks are.
 *
 * <pre>{@code
 * try (RedisFences fences = RedisFences.open("redis://localhost", RedisOptions.defaults())) {
 *     RedisFenceGuard guard = fences.guard(FenceRule.AT_LEAST);
 *     guard.claim("invoice:42", lease.stamp());
 *     guard.set("invoice:42", "paid", lease.stamp());
 * }
 * }</pre>
 *
 * <p>All that guard the same data must have the same key prefix. Safe for all threads.
 */
public final class RedisFences implements AutoCloseable {

    private final RedisLink link;
    private final Complaints complaints;
    private final RedisOptions options;
    private final FenceNames names;
    private final GuardedCalls calls;

    /** The fences of a store that somebody else has opened and closes. */
    RedisFences(RedisLink link, Complaints complaints, RedisOptions options) {
        this.link = link;
        this.complaints = complaints;
        this.options = options;
        this.names = new FenceNames(options.keyPrefix());
        this.calls = new GuardedCalls(link, complaints, options.acknowledgement());
    }

    private RedisFences(LettuceStore store, RedisOptions options) {
        this(LettuceLink.open(store, options.commandTimeout()), new Complaints(store.where()), options);
    }

    /**
     * Opens a store. Connects, so that a wrong address fails here.
     *
     * @param uri an address as {@link RedisBackendProvider} describes it; fences are the same in every layout of locks
     * @param options the prefix, the limit for a command, the acknowledgement, and the token mode of clocks
     * @return fences that the caller closes
     * @throws IllegalArgumentException if the address is malformed; the message names the fix
     * @throws BackendException if the store cannot be reached or refuses us
     */
    public static RedisFences open(String uri, RedisOptions options) {
        return new RedisFences(LettuceStore.at(RedisAddress.parse(uri), options.commandTimeout()), options);
    }

    /**
     * Opens the fences on a client of the caller's, who closes the client after the fences.
     *
     * @param client a client with {@link RedisLockBackend#clientOptions}
     * @param address the server, or the Sentinels and the master's name
     * @param options the prefix, the limit for a command, the acknowledgement, and the token mode of clocks
     * @return fences that the caller closes
     * @throws IllegalArgumentException if the client may repeat commands
     * @throws BackendException if the store cannot be reached or refuses us
     */
    public static RedisFences over(RedisClient client, RedisURI address, RedisOptions options) {
        return new RedisFences(LettuceStore.over(client, address), options);
    }

    /**
     * Opens the fences on a cluster client of the caller's, who closes the client after the fences.
     *
     * @param client a client with {@link RedisLockBackend#clusterClientOptions}
     * @param options the prefix, the limit for a command, the acknowledgement, and the token mode of clocks
     * @return fences that the caller closes
     * @throws IllegalArgumentException if the client may repeat commands
     * @throws BackendException if the store cannot be reached or refuses us
     */
    public static RedisFences over(RedisClusterClient client, RedisOptions options) {
        return new RedisFences(LettuceStore.over(client), options);
    }

    /**
     * Returns a guard.
     *
     * @param rule how often a grant may write; guards of both rules may be used on one store, but a key should have one
     * @param listeners told of refusals
     * @return a guard that works until these fences are closed
     */
    public RedisFenceGuard guard(FenceRule rule, LockListener... listeners) {
        return new RedisFenceGuard(calls, names, rule, LockListeners.of(listeners));
    }

    /**
     * Returns a clock that gives numbers without a lock.
     *
     * @return a clock that works until these fences are closed
     */
    public RedisGenerationClock clock() {
        return new RedisGenerationClock(calls, names, complaints, options.tokenMode());
    }

    /**
     * Returns what operators need.
     *
     * @return a catalog that works until these fences are closed
     */
    public FenceCatalog catalog() {
        return new RedisFenceCatalog(link, calls, names, guard(FenceRule.AT_LEAST));
    }

    /** Closes what was opened here. Never throws. */
    @Override
    public void close() {
        link.close();
    }
}
