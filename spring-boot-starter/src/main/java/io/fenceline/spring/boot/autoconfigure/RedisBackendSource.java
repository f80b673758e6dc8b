package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.redis.Acknowledgement;
import io.fenceline.redis.RedisLockBackend;
import io.fenceline.redis.RedisOptions;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.spring.boot.FencelineProperties.Store;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Locks in the application's Redis, over a client of their own: the application's repeats commands after a lost connection, and could
 * be granted a lock for a caller that has given up.
 */
final class RedisBackendSource implements BackendSource {

    private final FencelineProperties.Redis properties;
    private final ObjectProvider<LettuceConnectionFactory> factories;

    RedisBackendSource(FencelineProperties.Redis properties, ObjectProvider<LettuceConnectionFactory> factories) {
        this.properties = properties;
        this.factories = factories;
    }

    @Override
    public Store store() {
        return Store.REDIS;
    }

    @Override
    public boolean isAvailable() {
        return factories.getIfUnique() != null;
    }

    @Override
    public LockBackend open() {
        LettuceConnectionFactory factory = factories.getObject();
        LettuceAddress address = new LettuceAddress(factory);
        LettuceClientConfiguration client = factory.getClientConfiguration();
        Optional<ClientResources> resources = client.getClientResources();
        return factory.getClusterConfiguration() == null
                ? single(resources.map(RedisClient::create).orElseGet(RedisClient::create), client, address.single())
                : cluster(
                        resources
                                .map(shared -> RedisClusterClient.create(shared, address.cluster()))
                                .orElseGet(() -> RedisClusterClient.create(address.cluster())),
                        client);
    }

    private LockBackend single(RedisClient client, LettuceClientConfiguration configuration, RedisURI address) {
        ClientOptions.Builder options = RedisLockBackend.clientOptions(properties.commandTimeout());
        configuration.getClientOptions().map(ClientOptions::getSslOptions).ifPresent(options::sslOptions);
        client.setOptions(options.build());
        return closing(client, () -> RedisLockBackend.over(client, address, options()));
    }

    private LockBackend cluster(RedisClusterClient client, LettuceClientConfiguration configuration) {
        ClusterClientOptions.Builder options = RedisLockBackend.clusterClientOptions(properties.commandTimeout());
        configuration.getClientOptions().map(ClientOptions::getSslOptions).ifPresent(options::sslOptions);
        client.setOptions(options.build());
        return closing(client, () -> RedisLockBackend.over(client, options()));
    }

    private static LockBackend closing(AbstractRedisClient client, Supplier<LockBackend> opening) {
        try {
            return new OwnClient(opening.get(), client);
        } catch (RuntimeException e) {
            shutdown(client);
            throw e;
        }
    }

    private static void shutdown(AbstractRedisClient client) {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    private RedisOptions options() {
        FencelineProperties.Replicas replicas = properties.acknowledgement();
        RedisOptions options = RedisOptions.defaults()
                .withKeyPrefix(properties.keyPrefix())
                .withCommandTimeout(properties.commandTimeout());
        return replicas.replicas() == 0
                ? options
                : options.withAcknowledgement(new Acknowledgement(replicas.replicas(), replicas.timeout()));
    }

    /** A backend that closes its client. */
    private static final class OwnClient extends ForwardingLockBackend {

        private final AbstractRedisClient client;

        OwnClient(LockBackend delegate, AbstractRedisClient client) {
            super(delegate);
            this.client = client;
        }

        @Override
        public void close() {
            super.close();
            shutdown(client);
        }
    }
}
