package io.fenceline.redis.link;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** One server or a cluster, as a Lettuce client sees it. */
public interface LettuceStore {

    /** Opens a connection for commands. */
    CompletionStage<Session> connect();

    /** Opens a connection for messages. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectForMessages();

    /** Returns the server of a key, once it is connected. */
    CompletableFuture<Server> server(Session session, String key);

    /** Returns the masters by address, once each is connected. */
    Map<String, CompletableFuture<Server>> masters(Session session);

    /** Returns whether the keys are spread over several masters. */
    default boolean isCluster() {
        return false;
    }

    /** Returns the address without the password. */
    String where();

    /** Returns what maps the errors of this store. */
    RedisErrors errors();

    /** Returns whether the server replies without TLS although the address says TLS. May take two timeouts. */
    default boolean repliesWithoutTls(long timeoutMillis) {
        return false;
    }

    /** Closes the client unless it is the caller's. Does not wait. */
    void shutdown();

    /** A connection for commands. */
    record Session(StatefulConnection<String, String> connection, RedisClusterAsyncCommands<String, String> commands) {

        /** Closes the connection asynchronously. */
        CompletableFuture<Void> close() {
            return connection.closeAsync();
        }
    }

    /** A session's connection to one server. In a cluster it has several, and {@code commands} follow redirects. */
    record Server(
            Session session,
            StatefulConnection<String, String> connection,
            RedisClusterAsyncCommands<String, String> commands,
            RedisErrors errors) {

        boolean isOnlyOne() {
            return connection == session.connection();
        }

        /** Returns commands that go to this server only. */
        RedisClusterAsyncCommands<String, String> direct() {
            return ((StatefulRedisConnection<String, String>) connection).async();
        }
    }

    /**
     * Disconnects one connection, which Lettuce then reconnects. Its pending commands fail.
     *
     * @return false if this kind of connection cannot be disconnected
     */
    static boolean disconnect(StatefulConnection<String, String> connection) {
        if (connection instanceof RedisChannelHandler<?, ?> handler
                && handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
            endpoint.disconnect();
            return true;
        }
        return false;
    }

    /**
     * Sets options under which no command is sent twice: pending commands fail when their connection ends, and no command is
     * queued for the next one.
     */
    static <B extends ClientOptions.Builder> B atMostOnce(B options, Duration timeout) {
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(LettuceStore::isScript)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(keptAlive(
                                SocketOptions.builder().connectTimeout(timeout).tcpNoDelay(true))
                        .build());
        return options;
    }

    /** A subscriber sends nothing, so only TCP keepalive notices that the server is gone. A runtime without module jdk.net cannot set its times. */
    private static SocketOptions.Builder keptAlive(SocketOptions.Builder options) {
        boolean timesCanBeSet = ModuleLayer.boot().findModule("jdk.net").isPresent();
        return timesCanBeSet
                ? options.keepAlive(KeepAliveOptions.builder()
                        .enable()
                        .idle(Duration.ofSeconds(15))
                        .interval(Duration.ofSeconds(5))
                        .count(3)
                        .build())
                : options.keepAlive(true);
    }

    /** Connects to one server, or to the master that Sentinels name, with a client of our own. */
    static LettuceStore single(RedisURI address, String where, Duration timeout) {
        return SingleStore.open(address, where, timeout);
    }

    /** Connects to a cluster with a client of our own. */
    static LettuceStore cluster(List<RedisURI> nodes, String where, Duration timeout) {
        return ClusterStore.open(nodes, where, timeout);
    }

    /** Client options of {@link #cluster}. */
    static ClusterClientOptions.Builder clusterOptions(Duration timeout) {
        return ClusterStore.options(timeout);
    }

    /** Uses the caller's client. */
    static LettuceStore over(RedisClient client, RedisURI address) {
        requireNoRepetition(client.getOptions());
        return SingleStore.over(client, address);
    }

    /** Uses the caller's cluster client. */
    static LettuceStore over(RedisClusterClient client) {
        requireNoRepetition(client.getOptions());
        return ClusterStore.over(client);
    }

    private static void requireNoRepetition(ClientOptions options) {
        if (options.isAutoReconnect()
                && options.getDisconnectedBehavior() != ClientOptions.DisconnectedBehavior.REJECT_COMMANDS) {
            throw new IllegalArgumentException(
                    "this client repeats commands after a lost connection, so a lock could be granted to a caller that has given"
                            + " up; build it with RedisLockBackend.clientOptions or clusterClientOptions");
        }
    }

    /** Client resources with a short reconnect delay. */
    static ClientResources resources() {
        return ClientResources.builder()
                .reconnectDelay(
                        () -> Delay.equalJitter(Duration.ofMillis(1), Duration.ofMillis(500), 1, TimeUnit.MILLISECONDS))
                .build();
    }

    /** Shuts a client and its threads down asynchronously. */
    static void shutdown(AbstractRedisClient client, ClientResources resources) {
        var unused = client.shutdownAsync(0, 1, TimeUnit.SECONDS).whenComplete((done, failure) -> {
            var unusedToo = resources.shutdown(0, 1, TimeUnit.SECONDS);
        });
    }

    private static boolean isScript(RedisCommand<?, ?, ?> command) {
        ProtocolKeyword type = command.getType();
        return Set.of(CommandType.EVALSHA, CommandType.EVAL, CommandType.WAIT).contains(type);
    }
}
