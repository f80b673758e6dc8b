package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.Store;
import java.util.List;
import java.util.Optional;

/** All contenders. The first of a store that talks to a driver is its floor. */
public final class Contenders {

    private static final String HARNESS_1_MS = "poll 1 ms (harness)";
    private static final String HARNESS_10_MS = "none; poll 10 ms (harness)";

    /** Ours, which runs behind each store. */
    public static final String OURS = "fenceline";

    private static final List<Contender> ALL = List.of(
            new Contender("fenceline-memory", Store.MEMORY, "local queue", FencelineClient::open),
            new Contender("raw-sqlite", Store.SQLITE, HARNESS_1_MS, RawSqliteClient::open),
            new Contender("fenceline-sqlite", Store.SQLITE, "local queue + poll", FencelineClient::open),
            new Contender("raw-lettuce", Store.REDIS, HARNESS_1_MS, RawLettuceClient::open),
            new Contender("raw-jedis", Store.REDIS, HARNESS_1_MS, RawJedisClient::open),
            new Contender("fenceline-redis", Store.REDIS, "local queue + server's queue", FencelineClient::open),
            new Contender("redisson-lock", Store.REDIS, "pub/sub", RedissonClients::openLock),
            new Contender("redisson-fenced", Store.REDIS, "pub/sub", RedissonClients::openFencedLock),
            new Contender("spring-redis-spin", Store.REDIS, "local lock + poll 100 ms", SpringClients::openSpinning),
            new Contender("spring-redis-pubsub", Store.REDIS, "local lock + pub/sub", SpringClients::openSubscribing),
            new Contender("shedlock-redis", Store.REDIS, HARNESS_10_MS, ShedLockClients::openRedis),
            new Contender("raw-pg", Store.POSTGRESQL, HARNESS_1_MS, RawPostgresClient::openDurable),
            new Contender("raw-pg-update", Store.POSTGRESQL, HARNESS_1_MS, RawPostgresClient::openUpdating),
            new Contender("fenceline-postgresql", Store.POSTGRESQL, "local queue + NOTIFY", FencelineClient::open),
            new Contender("spring-jdbc", Store.POSTGRESQL, "local lock + poll 100 ms", SpringClients::openJdbc),
            new Contender("shedlock-jdbc", Store.POSTGRESQL, HARNESS_10_MS, ShedLockClients::openJdbc));

    private Contenders() {}

    /** Returns all, in the order of the tables. */
    public static List<Contender> all() {
        return ALL;
    }

    /** Returns the one of a name. */
    public static Contender named(String name) {
        return ALL.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contender is called '" + name + "'"));
    }

    /** Returns what the others of a store are compared with, if it has a driver. */
    static Optional<Contender> floorOf(Store store) {
        return ALL.stream()
                .filter(contender -> contender.store() == store)
                .findFirst()
                .filter(contender -> contender.name().startsWith("raw-"));
    }
}
