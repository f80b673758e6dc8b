package io.fenceline.redis;

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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The differences between one server, watched by Sentinels or not, and a cluster, as Lettuce sees them. */
interface LettuceStore {

    /** Opens a connection for commands. */
    CompletionStage<Session> connect();

    /** Opens a connection for messages. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectForMessages();

    /** The server that keeps a key, when it can be sent to. */
    CompletableFuture<Server> server(Session session, String key);

    /** Each server that keeps locks, by its address. */
    Map<String, Server> masters(Session session);

    /** Tells whether the count that PUBLISH answers is of the whole store. */
    boolean countsListeners();

    /** The address without a password. */
    String where();

    /** Closes the client, if it was not brought by the caller. Does not wait. */
    void shutdown();

    /**
     * A connection for commands.
     *
     * @param connection what is closed in the end
     * @param commands its commands
     */
    record Session(StatefulConnection<String, String> connection, RedisClusterAsyncCommands<String, String> commands) {

        /** Closes the connection without waiting for it. */
        CompletableFuture<Void> close() {
            return connection.closeAsync();
        }
    }

    /**
     * A server as a session reaches it.
     *
     * @param session the session
     * @param connection the session's connection to this server: in a cluster one of several
     * @param commands sends commands to this server; in a cluster they may follow redirects
     */
    record Server(
            Session session,
            StatefulConnection<String, String> connection,
            RedisClusterAsyncCommands<String, String> commands) {

        boolean isOnlyOne() {
            return connection == session.connection();
        }

        /** Returns commands that go to this server only. */
        RedisClusterAsyncCommands<String, String> direct() {
            return ((StatefulRedisConnection<String, String>) connection).async();
        }
    }

    /**
     * Disconnects one connection, which Lettuce then makes anew. What was under way on it fails.
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
     * Makes options under which no command is sent twice: what is on its way when a connection ends has failed, and nothing
     * waits for the next connection.
     */
    static <B extends ClientOptions.Builder> B atMostOnce(B options, Duration timeout) {
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(LettuceStore::isScript)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(timeout)
                        .tcpNoDelay(true)
                        // A listener never speaks, so only the system can notice that the other side is gone.
                        .keepAlive(KeepAliveOptions.builder()
                                .enable()
                                .idle(Duration.ofSeconds(15))
                                .interval(Duration.ofSeconds(5))
                                .count(3)
                                .build())
                        .build());
        return options;
    }

    /** Finds a store by its address, with a client of our own. */
    static LettuceStore at(RedisAddress address, Duration timeout) {
        return address.isCluster() ? ClusterStore.open(address, timeout) : SingleStore.open(address, timeout);
    }

    /** Takes a client of the caller's. */
    static LettuceStore over(RedisClient client, RedisURI address) {
        requireNoRepetition(client.getOptions());
        return SingleStore.over(client, address);
    }

    /** Takes a cluster client of the caller's. */
    static LettuceStore over(RedisClusterClient client) {
        requireNoRepetition(client.getOptions());
        return ClusterStore.over(client);
    }

    private static void requireNoRepetition(ClientOptions options) {
        if (options.isAutoReconnect()
                && options.getDisconnectedBehavior() != ClientOptions.DisconnectedBehavior.REJECT_COMMANDS) {
            throw new IllegalArgumentException(
                    "this client repeats commands after a lost connection, so a lock could be"
                            + " granted to somebody who gave up long ago; build it with RedisLockBackend.clientOptions or"
                            + " clusterClientOptions");
        }
    }

    /** The lines of Lettuce's own threads: it comes back quickly after an outage. */
    static ClientResources resources() {
        return ClientResources.builder()
                .reconnectDelay(
                        () -> Delay.equalJitter(Duration.ofMillis(1), Duration.ofMillis(500), 1, TimeUnit.MILLISECONDS))
                .build();
    }

    /** Ends a client and its threads without waiting for it. */
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
