package io.fenceline.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Redis master with a replica, watched by three Sentinels, all of our own. It ends with this JVM. */
public final class RedisSentinel implements AutoCloseable {

    private static final String NAME = "fenceline-test";
    private static final int SENTINELS = 3;

    private final List<RedisServer> data;
    private final List<RedisServer> sentinels;

    private RedisSentinel(List<RedisServer> data, List<RedisServer> sentinels) {
        this.data = List.copyOf(data);
        this.sentinels = List.copyOf(sentinels);
    }

    /**
     * Starts five servers and waits until the Sentinels know one another and the replica follows. Returns servers
     * that the caller closes.
     */
    public static RedisSentinel start(RedisSettings settings) {
        RedisSettings ofData = settings.with("repl-diskless-sync-delay", "0");
        List<RedisServer> started = new ArrayList<>();
        try {
            RedisServer master = RedisServer.start(ofData);
            started.add(master);
            started.add(RedisServer.start(ofData.with("replicaof", "127.0.0.1 " + master.port())));
            for (int i = 0; i < SENTINELS; i++) {
                started.add(RedisServer.start(new RedisSettings(List.of()), watching(master.port())));
            }
            RedisSentinel all = new RedisSentinel(started.subList(0, 2), started.subList(2, started.size()));
            all.awaitWatch();
            return all;
        } catch (RuntimeException e) {
            started.forEach(RedisServer::close);
            throw e;
        }
    }

    /** Returns a {@code redis-sentinel://} URI with all Sentinels. */
    public String uri() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + NAME));
    }

    /** Returns the present master. */
    public RedisServer master() {
        String port =
                String.valueOf(((List<?>) sentinels.get(0).call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)).get(1));
        return data.stream()
                .filter(server -> port.equals(Integer.toString(server.port())))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the server that is not the present master. */
    public RedisServer replica() {
        RedisServer master = master();
        return data.get(data.indexOf(master) == 0 ? 1 : 0);
    }

    /** Returns the Sentinels, in the order of the URI. */
    public List<RedisServer> sentinels() {
        return sentinels;
    }

    /** Waits until the replica has a link to its master. */
    public void awaitReplica() {
        RedisCluster.await(
                "the replica follows",
                () -> replica().info("master_link_status").equals("up"));
    }

    /** Kills the servers and removes their folders. */
    @Override
    public void close() {
        Stream.concat(sentinels.stream(), data.stream()).forEach(RedisServer::close);
    }

    private void awaitWatch() {
        awaitReplica();
        RedisCluster.await(
                "the Sentinels know one another and the replica",
                () -> sentinels.stream()
                        .allMatch(sentinel -> String.valueOf(sentinel.call("INFO", "sentinel"))
                                .contains(",slaves=1,sentinels=" + SENTINELS)));
    }

    private static String watching(int port) {
        return """
                sentinel monitor NAME 127.0.0.1 PORT 2
                sentinel down-after-milliseconds NAME 500
                sentinel failover-timeout NAME 3000
                """.replace("NAME", NAME).replace("PORT", Integer.toString(port));
    }
}
