package io.fenceline.redis.link;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A Redis Cluster. A lock is kept by the master of its key. */
final class ClusterStore implements LettuceStore {

    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(5);

    private final RedisClusterClient client;
    private final List<RedisURI> nodes;
    private final String where;
    private final RedisErrors errors;
    private final Runnable shutdown;

    private ClusterStore(RedisClusterClient client, List<RedisURI> nodes, String where, Runnable shutdown) {
        this.client = client;
        this.nodes = nodes;
        this.where = where;
        this.errors = new RedisErrors(where, true);
        this.shutdown = shutdown;
    }

    static ClusterStore open(List<RedisURI> nodes, String where, Duration timeout) {
        ClusterClientOptions.Builder options = options(timeout);
        if (nodes.stream().anyMatch(RedisURI::isSsl)) {
            options.sslOptions(OwnCertificate.ofJvm(new RedisErrors(where, true)));
        }
        var resources = LettuceStore.resources();
        RedisClusterClient client = RedisClusterClient.create(resources, nodes);
        client.setOptions(options.build());
        return new ClusterStore(client, nodes, where, () -> LettuceStore.shutdown(client, resources));
    }

    static ClusterClientOptions.Builder options(Duration timeout) {
        return LettuceStore.atMostOnce(ClusterClientOptions.builder(), timeout)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                        .refreshTriggersReconnectAttempts(1)
                        .enablePeriodicRefresh(TOPOLOGY_REFRESH)
                        .build())
                .validateClusterNodeMembership(false);
    }

    static ClusterStore over(RedisClusterClient client) {
        return new ClusterStore(client, List.of(), "redis-cluster", () -> {});
    }

    @Override
    public CompletionStage<Session> connect() {
        return client.refreshPartitionsAsync()
                .thenCompose(known -> client.connectAsync(StringCodec.UTF8))
                .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectForMessages() {
        return client.connectPubSubAsync(StringCodec.UTF8).thenApply(connection -> connection);
    }

    /**
     * {@inheritDoc} Lettuce connects to a node when it is first needed, and refuses what comes before the connection is there. The
     * commands are those of the whole cluster, which follow redirects.
     */
    @Override
    public CompletableFuture<Server> server(Session session, String key) {
        return node(session, key).thenApply(connection -> new Server(session, connection, session.commands(), errors));
    }

    private static CompletableFuture<StatefulRedisConnection<String, String>> node(Session session, String key) {
        var cluster = (StatefulRedisClusterConnection<String, String>) session.connection();
        RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        return node == null
                ? CompletableFuture.failedFuture(
                        new PartitionSelectorException("no node serves the slot of the key", cluster.getPartitions()))
                // By host and port, as Lettuce itself looks for the connection that it sends a key's commands on.
                : cluster.getConnectionAsync(
                        node.getUri().getHost(), node.getUri().getPort());
    }

    @Override
    public Map<String, CompletableFuture<Server>> masters(Session session) {
        var cluster = (StatefulRedisClusterConnection<String, String>) session.connection();
        Map<String, CompletableFuture<Server>> masters = new LinkedHashMap<>();
        for (RedisClusterNode node : cluster.getPartitions()) {
            if (node.getRole().isUpstream() && !node.hasNoSlots()) {
                String host = node.getUri().getHost();
                int port = node.getUri().getPort();
                RedisErrors there = new RedisErrors(host + ":" + port, true);
                masters.put(
                        host + ":" + port,
                        cluster.getConnectionAsync(host, port)
                                .thenApply(connection -> new Server(session, connection, connection.async(), there)));
            }
        }
        return masters;
    }

    @Override
    public boolean isCluster() {
        return true;
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
        return nodes.stream().limit(1).anyMatch(node -> node.isSsl() && PlainTextProbe.replies(node, timeoutMillis));
    }

    @Override
    public void shutdown() {
        shutdown.run();
    }
}
