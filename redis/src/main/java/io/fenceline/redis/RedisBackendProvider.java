package io.fenceline.redis;

import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.util.Set;

/**
 * Opens Redis by URI: {@code redis://HOST:PORT/DATABASE} for one server, {@code redis-sentinel://HOST:PORT,…/DATABASE#MASTER}
 * for a master that Sentinels watch, {@code redis-cluster://HOST:PORT,…} for a cluster; with {@code rediss} for TLS. The
 * password is {@code :PASSWORD@} or {@code USER:PASSWORD@} before the hosts, percent-encoded where needed, else the
 * environment's {@code REDISCLI_AUTH}.
 *
 * <p>{@code ?keyPrefix=PREFIX}, before a {@code #MASTER}, is that of {@link RedisOptions#withKeyPrefix}.
 *
 * <p>{@code ?layout=syncguard&prefix=PREFIX}, before a {@code #MASTER}, shares locks with SyncGuard processes ({@link
 * KeyLayout#syncGuard}). Without a prefix it is {@code syncguard}, SyncGuard's own default; special characters are
 * percent-encoded.
 */
public final class RedisBackendProvider implements BackendProvider {

    /** Creates the provider; called by {@link java.util.ServiceLoader}. */
    public RedisBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(
                RedisAddress.SINGLE,
                RedisAddress.SINGLE_TLS,
                RedisAddress.SENTINEL,
                RedisAddress.SENTINEL_TLS,
                RedisAddress.CLUSTER,
                RedisAddress.CLUSTER_TLS);
    }

    @Override
    public String usage() {
        return "redis://HOST:PORT, redis-sentinel://HOST:PORT,...#MASTER, redis-cluster://HOST:PORT,...";
    }

    @Override
    public LockBackend open(String uri) {
        return RedisLockBackend.open(uri, RedisOptions.defaults());
    }
}
