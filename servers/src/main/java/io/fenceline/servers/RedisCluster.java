package io.fenceline.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A Redis Cluster of three masters with a replica each, all of our own. It ends with this JVM. */
public final class RedisCluster implements AutoCloseable {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final int START_LIMIT_MILLIS = 60_000;

    private final List<RedisServer> nodes;

    private RedisCluster(List<RedisServer> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    /**
     * Starts six servers, makes a cluster of them, and waits until every slot is served and every replica follows.
     * Returns a cluster that the caller closes.
     */
    public static RedisCluster start(RedisSettings settings) {
        RedisSettings ofNode = settings.with("cluster-enabled", "yes")
                .with("cluster-node-timeout", "1000")
                .with("cluster-replica-validity-factor", "0")
                // Without it a replica's first copy takes 5 s, and nobody takes over a master that fails before.
                .with("repl-diskless-sync-delay", "0");
        List<RedisServer> started = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * MASTERS; i++) {
                int busPort = RedisServer.freePort();
                started.add(RedisServer.start(ofNode.with("cluster-port", Integer.toString(busPort))));
            }
            RedisCluster cluster = new RedisCluster(started);
            cluster.form();
            return cluster;
        } catch (RuntimeException e) {
            started.forEach(RedisServer::close);
            throw e;
        }
    }

    /** Returns a {@code redis-cluster://} URI with all nodes. */
    public String uri() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    /** Returns all nodes: the initial masters, then their replicas in the same order. */
    public List<RedisServer> nodes() {
        return nodes;
    }

    /** Returns the node that is the master of a key now. */
    public RedisServer masterOf(String key) {
        RedisServer any =
                nodes.stream().filter(RedisCluster::isServing).findFirst().orElseThrow();
        long slot = (Long) any.call("CLUSTER", "KEYSLOT", key);
        for (Object range : (List<?>) any.call("CLUSTER", "SLOTS")) {
            List<?> parts = (List<?>) range;
            if ((Long) parts.get(0) <= slot && slot <= (Long) parts.get(1)) {
                long port = (Long) ((List<?>) parts.get(2)).get(1);
                return nodes.stream()
                        .filter(node -> node.port() == port)
                        .findFirst()
                        .orElseThrow();
            }
        }
        throw new IllegalStateException("nobody serves slot " + slot);
    }

    /** Removes all data. */
    public void flush() {
        nodes.stream().filter(node -> node.info("role").equals("master")).forEach(RedisServer::flush);
    }

    /** Kills the servers and removes their folders. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    private void form() {
        RedisServer first = nodes.get(0);
        for (RedisServer node : nodes) {
            first.call(
                    "CLUSTER",
                    "MEET",
                    "127.0.0.1",
                    Integer.toString(node.port()),
                    String.valueOf(((List<?>) node.call("CONFIG", "GET", "cluster-port")).get(1)));
        }
        for (int i = 0; i < MASTERS; i++) {
            int from = SLOTS * i / MASTERS;
            int to = SLOTS * (i + 1) / MASTERS - 1;
            nodes.get(i).call("CLUSTER", "ADDSLOTSRANGE", Integer.toString(from), Integer.toString(to));
        }
        await(
                "all nodes know one another",
                () -> nodes.stream().allMatch(node -> clusterInfo(node, "cluster_known_nodes:" + 2 * MASTERS)));
        for (int i = 0; i < MASTERS; i++) {
            String master = (String) nodes.get(i).call("CLUSTER", "MYID");
            RedisServer replica = nodes.get(MASTERS + i);
            await(
                    "a replica knows its master",
                    () -> String.valueOf(replica.call("CLUSTER", "NODES")).contains(String.valueOf(master)));
            replica.call("CLUSTER", "REPLICATE", master);
        }
        await(
                "every slot is served and every replica follows",
                () -> nodes.stream().allMatch(RedisCluster::isServing)
                        && nodes.subList(MASTERS, 2 * MASTERS).stream()
                                .allMatch(
                                        node -> node.info("master_link_status").equals("up")));
    }

    private static boolean isServing(RedisServer node) {
        try {
            return clusterInfo(node, "cluster_state:ok");
        } catch (RuntimeException gone) {
            return false;
        }
    }

    private static boolean clusterInfo(RedisServer node, String line) {
        return String.valueOf(node.call("CLUSTER", "INFO")).contains(line + "\r\n");
    }

    static void await(String what, BooleanSupplier reached) {
        long end = System.nanoTime() + START_LIMIT_MILLIS * 1_000_000L;
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("not within " + START_LIMIT_MILLIS + " ms: " + what);
            }
            ServerProcess.pause(5);
        }
    }
}
