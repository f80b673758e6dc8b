package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.BackendException;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import io.fenceline.testkit.UriFixture;
import io.fenceline.time.Ticker;
import io.fenceline.time.WallClock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Locks spread over three servers. The rest of the contract is that of any stores: {@code ShardedMemoryContractTest}. */
class ShardedRedisTest {

    private static final Map<String, RedisServer> SERVERS = new LinkedHashMap<>();

    @BeforeAll
    static void start() {
        Stream.of("a", "b", "c").forEach(name -> SERVERS.put(name, RedisServer.start(RedisSettings.durable())));
    }

    @AfterAll
    static void stop() {
        SERVERS.values().forEach(RedisServer::close);
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return new Fixture();
        }
    }

    @Nested
    class Successions extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return new Fixture();
        }
    }

    private static ShardedLockBackend open(String... names) {
        Map<String, LockBackend> stores = new LinkedHashMap<>();
        RedisOptions options = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(2));
        List.of(names)
                .forEach(name ->
                        stores.put(name, RedisLockBackend.open(SERVERS.get(name).uri(), options)));
        return ShardedLockBackend.over(names.length, stores);
    }

    @Test
    void aServerThatIsDownCostsNoKeyOfTheOthers() throws InterruptedException {
        SERVERS.values().forEach(RedisServer::flush);
        LockOptions once = LockOptions.defaults().withMaxWait(Duration.ZERO);
        try (ShardedLockBackend backend = open("a", "b", "c");
                Locks locks = Locks.over(backend)) {
            locks.acquire("first", once).close(); // records the stores
            SERVERS.get("b").stop();
            for (String key : IntStream.range(0, 30).mapToObj(i -> "key " + i).toList()) {
                if (backend.storeOf(LockKey.of(key)).equals("b")) {
                    assertThatThrownBy(() -> locks.acquire(key, once)).isInstanceOf(BackendException.class);
                } else {
                    locks.acquire(key, once).close();
                }
            }
        } finally {
            SERVERS.get("b").startAgain();
        }
    }

    /** Tokens of keys that nobody uses are forgotten after an hour by default. */
    @Test
    void whichStoresBelongTogetherIsNotForgottenWithTheTokensOfIdleKeys() throws InterruptedException {
        SERVERS.values().forEach(RedisServer::flush);
        try (Locks locks = Locks.over(open("a", "b"))) {
            locks.acquire("first").close();
        }

        try (LockBackend alone = RedisLockBackend.open(SERVERS.get("b").uri(), RedisOptions.defaults())) {
            assertThat(alone.lookup(LockKey.of("fenceline-shards/record")).orElseThrow())
                    .satisfies(record -> assertThat(record.remaining()).isGreaterThan(Duration.ofDays(360)))
                    .extracting(LockRecord::holder)
                    .hasToString("generation 2 of a,b: b");
        }
        assertThatThrownBy(() -> open("b")).hasMessageContaining("belongs to generation 2 with the stores a,b");
    }

    /** What a refused set of stores leaves behind must not be taken for the kind of a store's tokens. */
    @Test
    void countsBesideADatabaseOnceItIsToldToCount() throws InterruptedException {
        SERVERS.values().forEach(RedisServer::flush);
        String uri = SERVERS.get("a").uri();
        RedisOptions counting = RedisOptions.defaults().withTokenMode(TokenMode.COUNTER);
        MemoryStore counters = new MemoryStore(TokenMode.COUNTER, Ticker.system(), WallClock.system());
        try (Locks mixed = Locks.over(besides(counters, RedisLockBackend.open(uri, RedisOptions.defaults())))) {
            assertThatThrownBy(() -> mixed.acquire("key")).hasMessageContaining("make tokens in different ways");
        }

        try (Locks locks = Locks.over(besides(counters, RedisLockBackend.open(uri, counting)))) {
            locks.acquire("key").close();
        }
    }

    private static ShardedLockBackend besides(MemoryStore counters, LockBackend redis) {
        return ShardedLockBackend.over(1, Map.of("c", new MemoryLockBackend(counters), "r", redis));
    }

    @Test
    void tokensRiseWhenServersAreAddedAndRemoved() throws InterruptedException {
        SERVERS.values().forEach(RedisServer::flush);
        for (int i = 0; i < 20; i++) {
            String key = "key " + i;
            long last = 0;
            for (String[] names : new String[][] {{"a"}, {"a", "b"}, {"a", "b", "c"}}) {
                try (LockBackend backend = open(names)) {
                    backend.ability(SchemaControl.class).orElseThrow().installSchema();
                    Lease lease = Locks.over(backend).acquire(key);
                    assertThat(lease.token().value()).isGreaterThan(last);
                    last = lease.token().value();
                    lease.close();
                }
            }
            SERVERS.values().forEach(RedisServer::flush); // with the records of the generations
        }
    }

    private static final class Fixture extends UriFixture {

        Fixture() {
            super("sharded:3 "
                    + SERVERS.entrySet().stream()
                            .map(server ->
                                    server.getKey() + "=" + server.getValue().uri())
                            .collect(Collectors.joining(" ")));
            SERVERS.values().forEach(RedisServer::flush);
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.CLOCK_FLOOR;
        }

        @Override
        public Duration shortTtl() {
            return Duration.ofMillis(250);
        }
    }
}
