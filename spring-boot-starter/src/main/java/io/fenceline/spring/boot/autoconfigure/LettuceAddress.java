package io.fenceline.spring.boot.autoconfigure;

import io.lettuce.core.RedisURI;
import java.util.List;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The address and the credentials of a connection factory, as Lettuce takes them. */
final class LettuceAddress {

    private final LettuceConnectionFactory factory;
    private final LettuceClientConfiguration client;

    LettuceAddress(LettuceConnectionFactory factory) {
        this.factory = factory;
        this.client = factory.getClientConfiguration();
    }

    /** Returns the address of one server, or of Sentinels. */
    RedisURI single() {
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null) {
            return ofSentinel(sentinel);
        }
        RedisSocketConfiguration socket = factory.getSocketConfiguration();
        if (socket != null) {
            return with(RedisURI.Builder.socket(socket.getSocket()).withDatabase(socket.getDatabase()), socket);
        }
        RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
        return with(
                RedisURI.Builder.redis(server.getHostName(), server.getPort()).withDatabase(server.getDatabase()),
                server);
    }

    /** Returns the addresses of a cluster. */
    List<RedisURI> cluster() {
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster == null) {
            throw new IllegalStateException("the connection factory is not that of a cluster");
        }
        return cluster.getClusterNodes().stream()
                .map(node -> with(RedisURI.Builder.redis(hostOf(node), portOf(node)), cluster))
                .toList();
    }

    private RedisURI ofSentinel(RedisSentinelConfiguration sentinel) {
        NamedNode master = sentinel.getMaster();
        String name = master == null ? null : master.getName();
        if (name == null) {
            throw new IllegalStateException("spring.data.redis.sentinel.master is not set");
        }
        RedisURI.Builder address = RedisURI.builder().withSentinelMasterId(name).withDatabase(sentinel.getDatabase());
        for (RedisNode node : sentinel.getSentinels()) {
            RedisURI watcher = reached(RedisURI.Builder.redis(hostOf(node), portOf(node)));
            watcher.setCredentialsProvider(credentials().createSentinelCredentialsProvider(sentinel));
            address.withSentinel(watcher);
        }
        return with(address, sentinel);
    }

    private RedisURI with(RedisURI.Builder address, RedisConfiguration login) {
        RedisURI built = reached(address);
        built.setCredentialsProvider(credentials().createCredentialsProvider(login));
        client.getClientName().ifPresent(built::setClientName);
        return built;
    }

    private RedisURI reached(RedisURI.Builder address) {
        return address.withSsl(client.isUseSsl())
                .withStartTls(client.isStartTls())
                .withVerifyPeer(client.getVerifyMode())
                .build();
    }

    private RedisCredentialsProviderFactory credentials() {
        return client.getRedisCredentialsProviderFactory().orElseGet(() -> new RedisCredentialsProviderFactory() {});
    }

    private static String hostOf(RedisNode node) {
        return String.valueOf(node.getHost());
    }

    private static int portOf(RedisNode node) {
        Integer port = node.getPort();
        return port == null ? RedisURI.DEFAULT_REDIS_PORT : port;
    }
}
