package io.fenceline.benchmarks.guards;

import io.fenceline.FenceStamp;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.redis.RedisFenceGuard;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;

/** A value and a hash for each thread. */
final class RedisPairs {

    private static final String TEXT = "x".repeat(32);

    private RedisPairs() {}

    static List<Pair> on(RedisCommands<String, String> plain, RedisFenceGuard guard, FenceStamp stamp) {
        return List.of(
                new Pair(
                        Store.REDIS,
                        "value",
                        "`SET`",
                        thread -> plain.set("plain:" + thread, TEXT),
                        thread -> guard.set("value:" + thread, TEXT, stamp)),
                new Pair(
                        Store.REDIS,
                        "hash",
                        "`HSET` of two fields",
                        thread -> plain.hset("plain-hash:" + thread, Map.of("status", "paid", "text", TEXT)),
                        thread -> guard.hset("hash:" + thread, Map.of("status", "paid", "text", TEXT), stamp)));
    }
}
