package io.fenceline.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One server, or the one that Sentinels call master. */
final class SingleStore implements LettuceStore {

    private static final CompletableFuture<?> READY = CompletableFuture.completedFuture("ready");

    private final RedisClient client;
    private final RedisURI address;
    private final String where;
    private final Runnable shutdown;

    private SingleStore(RedisClient client, RedisURI address, String where, Runnable shutdown) {
        this.client = client;
        this.address = address;
        this.where = where;
        this.shutdown = shutdown;
    }

    static SingleStore open(RedisAddress address, Duration timeout) {
        var resources = LettuceStore.resources();
        RedisClient client = RedisClient.create(resources);
        client.setOptions(
                LettuceStore.atMostOnce(ClientOptions.builder(), timeout).build());
        return new SingleStore(
                client, address.single(timeout), address.toString(), () -> LettuceStore.shutdown(client, resources));
    }

    static SingleStore over(RedisClient client, RedisURI address) {
        String where = address.getSentinels().isEmpty()
                ? "redis://" + address.getHost() + ":" + address.getPort()
                : "redis-sentinel://" + address.getSentinelMasterId();
        return new SingleStore(client, address, where, () -> {});
    }

    @Override
    public CompletionStage<Session> connect() {
        return client.connectAsync(StringCodec.UTF8, address)
                .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectForMessages() {
        return client.connectPubSubAsync(StringCodec.UTF8, address);
    }

    @Override
    public CompletableFuture<?> ready(Session session, String key) {
        return READY;
    }

    @Override
    public CompletionStage<RedisClusterAsyncCommands<String, String>> ofKey(Session session, String key) {
        return CompletableFuture.completedFuture(session.commands());
    }

    @Override
    public Map<String, RedisClusterAsyncCommands<String, String>> masters(Session session) {
        return Map.of(where, session.commands());
    }

    @Override
    public boolean countsListeners() {
        return true;
    }

    @Override
    public String where() {
        return where;
    }

    @Override
    public void shutdown() {
        shutdown.run();
    }
}
