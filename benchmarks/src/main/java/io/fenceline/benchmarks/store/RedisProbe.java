package io.fenceline.benchmarks.store;

import java.util.Map;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;

/** Looks at a Redis server. */
final class RedisProbe implements ServerProbe {

    private final Jedis jedis;
    private final long pid;

    RedisProbe(StoreAddress address) {
        this.jedis = new Jedis(address.host(), address.port());
        this.pid = Long.parseLong(info("server").get("process_id"));
    }

    @Override
    public ServerUse use() {
        return new ServerUse(ProcessTime.nanosOfTree(pid), Double.NaN, Double.NaN);
    }

    @Override
    public void awaitQuiet() {
        // what it has done is counted as it is done
    }

    @Override
    public String description() {
        String settings = jedis.configGet("save", "appendonly", "appendfsync", "io-threads").entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(setting -> setting.getKey() + " '" + setting.getValue() + "'")
                .collect(Collectors.joining(", "));
        return "Redis " + info("server").get("redis_version") + " (" + settings + ")";
    }

    private Map<String, String> info(String section) {
        return jedis.info(section)
                .lines()
                .filter(line -> line.contains(":"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')), line -> line.substring(line.indexOf(':') + 1)));
    }

    @Override
    public void close() {
        jedis.close();
    }
}
