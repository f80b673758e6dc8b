package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceRule;
import io.fenceline.redis.link.LettuceLink;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;

/**
 * Fences in one Redis: a server, a master that Sentinels watch, or a cluster. It holds the guarded data; the locks can be in
 * another store.
 *
 * <pre>{@code
 * try (RedisFences fences = RedisFences.open("redis://localhost", RedisOptions.defaults())) {
 *     RedisFenceGuard guard = fences.guard(FenceRule.AT_LEAST);
 *     guard.claim("invoice:42", lease.stamp());
 *     guard.set("invoice:42", "paid", lease.stamp());
 * }
 * }</pre>
 *
 * <p>All guards of the same data need the same key prefix. Thread-safe.
 */
public final class RedisFences implements AutoCloseable {

    private final RedisLink link;
    private final RedisErrors errors;
    private final RedisOptions options;
    private final FenceNames names;
    private final GuardedCalls calls;

    /** Fences on an open store; the caller closes the link. */
    RedisFences(RedisLink link, RedisErrors errors, RedisOptions options) {
        this.link = link;
        this.errors = errors;
        this.options = options;
        this.names = new FenceNames(options.keyPrefix());
        this.calls = new GuardedCalls(link, errors, options.acknowledgement());
    }

    private RedisFences(LettuceStore store, RedisOptions options) {
        this(LettuceLink.open(store, options.commandTimeout()), store.errors(), options);
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
        RedisAddress address = RedisAddress.parse(uri);
        RedisOptions all = address.prefixed(options);
        return new RedisFences(address.open(all.commandTimeout()), all);
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
     * @param listeners called on refusals
     * @return a guard that works until these fences are closed
     */
    public RedisFenceGuard guard(FenceRule rule, LockListener... listeners) {
        return new RedisFenceGuard(calls, names, rule, LockListeners.of(listeners));
    }

    /**
     * Returns a clock that issues numbers without a lock.
     *
     * @return a clock that works until these fences are closed
     */
    public RedisGenerationClock clock() {
        return new RedisGenerationClock(calls, names, errors, options.tokenMode());
    }

    /**
     * Returns the catalog for operators.
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
