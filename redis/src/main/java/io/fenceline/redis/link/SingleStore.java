package io.fenceline.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One server: named by its address, or the master that Sentinels name. */
final class SingleStore implements LettuceStore {

    private final RedisClient client;
    private final RedisURI address;
    private final String where;
    private final RedisErrors errors;
    private final Runnable shutdown;

    private SingleStore(RedisClient client, RedisURI address, String where, Runnable shutdown) {
        this.client = client;
        this.address = address;
        this.where = where;
        this.errors = new RedisErrors(where, false);
        this.shutdown = shutdown;
    }

    static SingleStore open(RedisURI address, String where, Duration timeout) {
        ClientOptions.Builder options = LettuceStore.atMostOnce(ClientOptions.builder(), timeout);
        if (address.isSsl()) {
            options.sslOptions(OwnCertificate.ofJvm(new RedisErrors(where, false)));
        }
        var resources = LettuceStore.resources();
        RedisClient client = RedisClient.create(resources);
        client.setOptions(options.build());
        return new SingleStore(client, address, where, () -> LettuceStore.shutdown(client, resources));
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
    public CompletableFuture<Server> server(Session session, String key) {
        return CompletableFuture.completedFuture(server(session));
    }

    private Server server(Session session) {
        return new Server(session, session.connection(), session.commands(), errors);
    }

    @Override
    public Map<String, CompletableFuture<Server>> masters(Session session) {
        return Map.of(where, CompletableFuture.completedFuture(server(session)));
    }

    @Override
    public RedisErrors errors() {
        return errors;
    }

    @Override
    public String where() {
        return where;
    }

    @Override
    public boolean repliesWithoutTls(long timeoutMillis) {
        return address.isSsl() && address.getSentinels().isEmpty() && PlainTextProbe.replies(address, timeoutMillis);
    }

    @Override
    public void shutdown() {
        shutdown.run();
    }
}
