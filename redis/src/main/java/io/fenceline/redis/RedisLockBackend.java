package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.LockId;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.redis.link.LettuceLink;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.syncguard.SyncGuardNames;
import io.fenceline.redis.syncguard.SyncGuardRedisLocks;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Locks on Redis 6.2 or later, or Valkey: one server, a master that Sentinels watch, or a cluster.
 *
 * <p>Every operation is one script and one round trip, except {@link #lookup(LockId)}, which scans the keys of every master, a
 * thousand in each round trip: in a cluster an index could not be updated in the same step, and it would cost every acquire another
 * write. Leases end by the server's clock. A lock is one hash, {@code PREFIX:{KEY}}; with {@link
 * io.fenceline.spi.TokenMode#CLOCK_FLOOR} it expires when the lock has been idle for a while.
 *
 * <p>The wait queue is in the store and first come, first served across processes. A release grants the lock to the first waiter
 * in the same step and sends that waiter's process one message; nothing is sent without waiters. A waiter that died is skipped: on
 * one server when the message finds no subscriber, in a cluster when its place times out.
 *
 * <p>Redis replicates asynchronously, so a failover can lose the newest grants and let a second holder in while the first still
 * counts on its lease. Tokens of the clock floor grow nevertheless, so a guard tells the two apart; {@link Acknowledgement} makes it
 * rarer.
 *
 * <p>With the clock floor a block of tokens ends at the server's time, so it may have fewer tokens than were asked for, and only one
 * if the lock's last token is not known. So no token is repeated though the counter is lost after a block.
 *
 * <p>All this describes Fenceline's own layout. With {@link KeyLayout#syncGuard} locks are shared with SyncGuard processes: every
 * operation is one round trip, waiters poll, tokens come from a counter, and keys that imitate names of SyncGuard's are refused with
 * an {@link IllegalArgumentException}.
 */
public final class RedisLockBackend extends ForwardingLockBackend {

    private final FenceCatalog fences;
    private final RedisDiagnosis diagnosis;

    private RedisLockBackend(LettuceStore store, RedisOptions options) {
        this(LettuceLink.open(store, options.commandTimeout()), store.errors(), options);
    }

    RedisLockBackend(RedisLink link, RedisErrors errors, RedisOptions options) {
        super(locks(link, errors, options));
        this.fences = new RedisFences(link, errors, options).catalog();
        this.diagnosis = new RedisDiagnosis(link, options);
    }

    private static LockBackend locks(RedisLink link, RedisErrors errors, RedisOptions options) {
        return options.layout() instanceof KeyLayout.SyncGuard shared
                ? new SyncGuardRedisLocks(
                        link,
                        errors,
                        new SyncGuardNames(StorageNames.onRedis(shared.prefix()), options.keyPrefix()),
                        options.redaction())
                : new FencelineLocks(link, errors, options);
    }

    /**
     * Opens a store. Connects, so that a wrong address fails here.
     *
     * @param uri an address as {@link RedisBackendProvider} describes it. A prefix and a layout that it names are used; it may name SyncGuard's
     *     where the options have ours, but not ours where they have SyncGuard's
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if the address is malformed, or the layout cannot do what the options ask or needs a
     *     prefix with a hash tag; the message names the fix
     * @throws BackendException if the store cannot be reached or refuses us
     */
    public static RedisLockBackend open(String uri, RedisOptions options) {
        RedisAddress address = RedisAddress.parse(uri);
        if (options.layout() instanceof KeyLayout.SyncGuard
                && address.layout()
                        .filter(KeyLayout.Fenceline.class::isInstance)
                        .isPresent()) {
            throw new IllegalArgumentException(
                    "the URI names layout=fenceline and the options SyncGuard's, with counted tokens; name one");
        }
        RedisOptions all = address.applyTo(options);
        requireOneSlot(address.isCluster(), all);
        return new RedisLockBackend(address.open(all.commandTimeout()), all);
    }

    /**
     * Opens a backend on a client of the caller's, who closes the client after the backend.
     *
     * @param client a client with {@link #clientOptions}, or others that repeat no command after a lost connection
     * @param address the server, or the Sentinels and the master's name
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if the client may repeat commands
     * @throws BackendException if the store cannot be reached or refuses us
     */
    public static RedisLockBackend over(RedisClient client, RedisURI address, RedisOptions options) {
        return new RedisLockBackend(LettuceStore.over(client, address), options);
    }

    /**
     * Opens a backend on a cluster client of the caller's, who closes the client after the backend.
     *
     * @param client a client with {@link #clusterClientOptions}, or others that repeat no command after a lost connection
     * @param options how the backend works
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if the client may repeat commands, or the layout needs a prefix with a hash tag
     * @throws BackendException if the store cannot be reached or refuses us
     */
    public static RedisLockBackend over(RedisClusterClient client, RedisOptions options) {
        requireOneSlot(true, options);
        return new RedisLockBackend(LettuceStore.over(client), options);
    }

    /**
     * Returns options that a client for {@link #over(RedisClient, RedisURI, RedisOptions)} needs: commands are sent at most
     * once, and fail immediately without a connection.
     *
     * @param commandTimeout the limit for connecting
     * @return options that may be added to
     */
    public static ClientOptions.Builder clientOptions(Duration commandTimeout) {
        return LettuceStore.atMostOnce(ClientOptions.builder(), commandTimeout);
    }

    /**
     * Returns options that a client for {@link #over(RedisClusterClient, RedisOptions)} needs: those of {@link #clientOptions},
     * and a periodic refresh of the cluster topology.
     *
     * @param commandTimeout the limit for connecting
     * @return options that may be added to
     */
    public static ClusterClientOptions.Builder clusterClientOptions(Duration commandTimeout) {
        return LettuceStore.clusterOptions(commandTimeout);
    }

    private static void requireOneSlot(boolean cluster, RedisOptions options) {
        if (cluster && options.layout() instanceof KeyLayout.SyncGuard shared && !shared.hasHashTag()) {
            throw new IllegalArgumentException(
                    "SyncGuard's prefix '" + shared.prefix() + "' has no hash tag, so a cluster would"
                            + " keep the parts of a lock on several nodes; use a prefix like '{" + shared.prefix()
                            + "}' here and in SyncGuard");
        }
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return super.ability(type)
                .or(() -> Stream.of(fences, diagnosis)
                        .filter(type::isInstance)
                        .map(type::cast)
                        .findFirst());
    }
}
