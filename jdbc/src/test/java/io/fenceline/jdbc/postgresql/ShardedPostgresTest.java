package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Backends;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.servers.PostgresServer;
import io.fenceline.sharding.ShardedLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks spread over two servers, whose tokens are counters. */
class ShardedPostgresTest {

    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final Map<String, PostgresServer> SERVERS = new HashMap<>();

    @BeforeAll
    static void start() {
        Stream.of("a", "b").forEach(name -> SERVERS.put(name, PostgresServer.start(Map.of())));
    }

    @AfterAll
    static void stop() {
        SERVERS.values().forEach(PostgresServer::close);
    }

    /** Tables of each test are its own. */
    private final String table = "locks_" + TABLES.incrementAndGet();

    private ShardedLockBackend open(int generation, String... names) {
        Map<String, LockBackend> stores = new HashMap<>();
        for (String name : names) {
            stores.put(name, Backends.open(SERVERS.get(name).uri() + "&table=" + table));
        }
        return ShardedLockBackend.over(generation, stores);
    }

    private static void install(ShardedLockBackend stores) {
        stores.ability(SchemaControl.class).orElseThrow().installSchema();
    }

    private static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "key " + i).toList();
    }

    @Test
    void processesExcludeEachOtherAndWakeEachOther() throws Exception {
        Map<String, AtomicLong> last = keys(6).stream().collect(Collectors.toMap(key -> key, key -> new AtomicLong()));
        try (LockBackend one = open(1, "a", "b");
                LockBackend other = open(1, "a", "b");
                Locks first = Locks.over(one);
                Locks second = Locks.over(other)) {
            CompletableFuture.allOf(IntStream.range(0, 6)
                            .mapToObj(i -> CompletableFuture.runAsync(
                                    () -> turns(i % 2 == 0 ? first : second, last), task -> new Thread(task).start()))
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
    }

    private static void turns(Locks locks, Map<String, AtomicLong> last) {
        LockOptions patient = LockOptions.defaults().withMaxWait(Duration.ofMinutes(1));
        for (int i = 0; i < 20; i++) {
            last.forEach((key, token) -> {
                try (Lease lease = locks.acquire(key, patient)) {
                    long before = token.get();
                    assertThat(lease.token().value()).isGreaterThan(before);
                    assertThat(token.compareAndSet(before, lease.token().value()))
                            .isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    @Test
    void tokensRiseWhenAKeyMovesAndMovesBack() throws InterruptedException {
        Map<String, Long> last = new HashMap<>();
        for (ShardedLockBackend stores :
                List.of(open(1, "a"), open(2, "a", "b"), open(3, "b"), open(4, "a", "b"), open(5, "a"))) {
            try (stores;
                    Locks locks = Locks.over(stores)) {
                install(stores);
                for (String key : keys(10)) {
                    try (Lease lease = locks.acquire(key)) {
                        assertThat(lease.token().value()).isGreaterThan(last.getOrDefault(key, 0L));
                        last.put(key, lease.token().value());
                    }
                }
            }
        }
    }

    @Test
    @Tag("G8")
    void lookingMakesNoTable() {
        try (ShardedLockBackend stores = open(1, "a", "b")) {
            assertThat(stores.isLocked(LockKey.of("key"))).isFalse();
            assertThat(stores.ability(LockCatalog.class).orElseThrow().list("", 10))
                    .isEmpty();
            assertThat(stores.ability(SchemaControl.class).orElseThrow().schemaProblems())
                    .contains("a: table " + table + " is missing", "b: table " + table + " is missing");
        }
    }

    /** As while processes are restarted with another configuration. */
    @Test
    void aHolderOfTheOldGenerationCannotWriteAfterOneOfTheNew() throws InterruptedException {
        MemoryFenceGuard guard = new MemoryFenceGuard();
        try (ShardedLockBackend one = open(1, "a");
                ShardedLockBackend two = open(2, "a", "b");
                Locks before = Locks.over(one);
                Locks after = Locks.over(two)) {
            String key = keys(10).stream()
                    .filter(each -> two.storeOf(LockKey.of(each)).equals("b"))
                    .findFirst()
                    .orElseThrow();
            Lease old = before.acquire(key);
            install(two);
            Lease moved = after.acquire(key);
            guard.write("row", moved.stamp(), () -> {});

            assertThat(old.isHeld()).isTrue();
            assertThatThrownBy(() -> guard.write("row", old.stamp(), () -> {})).isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    void oldConfigurationsAreRefusedAlsoAfterARestart() {
        for (ShardedLockBackend stores : List.of(open(1, "a"), open(2, "a", "b"))) {
            install(stores);
            stores.close();
        }
        SERVERS.get("a").kill();
        SERVERS.get("a").startAgain();

        assertThatThrownBy(() -> open(1, "a")).hasMessageContaining("belongs to generation 2 with the stores a,b");
    }
}
