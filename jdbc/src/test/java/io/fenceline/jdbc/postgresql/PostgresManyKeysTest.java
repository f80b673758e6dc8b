package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Subscription;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One process waits for very many locks at once. */
@Timeout(180)
class PostgresManyKeysTest {

    private static final String WAITERS_LOCKS =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted";

    private final Set<Integer> told = ConcurrentHashMap.newKeySet();

    /** By default the server has room for 6,400 locks of all its sessions; one that finds none fails, whatever it is for. */
    @Test
    @Tag("L7")
    void takesASixteenthOfTheServersTableOfLocksAndNoMore() throws Exception {
        try (PostgresServer server =
                        PostgresServer.start(Map.of("max_connections", "20", "max_locks_per_transaction", "64"));
                LockBackend backend = Backends.open(server.uri())) {
            int places = Integer.parseInt(
                    ask(server, "SELECT 64 * (20 + current_setting('max_prepared_transactions')::int) / 16"));
            List<Subscription> waiting = waitForKeys(backend, 10_000);
            await().atMost(Duration.ofSeconds(60)).until(() -> told.size() >= places);

            LockId id = LockId.random();
            LockKey another = LockKey.of("another");
            assertThat(backend.acquire(AcquireRequest.of(another, id, Duration.ofMinutes(1), Holder.of("me"))))
                    .isInstanceOf(Granted.class);
            assertThat(backend.release(another, id)).isTrue();
            assertThat(Integer.parseInt(ask(server, WAITERS_LOCKS))).isEqualTo(places);
            assertThat(told).hasSize(places);

            told.stream().toList().forEach(key -> waiting.get(key).close());
            await().atMost(Duration.ofSeconds(60)).until(() -> told.size() >= 2 * places);
        }
    }

    @Test
    @Tag("L7")
    void listensForThousandsWhereTheServerHasRoom() throws Exception {
        int keys = 12_000;
        try (PostgresServer server = PostgresServer.start(Map.of("max_locks_per_transaction", "2048"));
                LockBackend backend = Backends.open(server.uri())) {
            waitForKeys(backend, keys);

            await().atMost(Duration.ofSeconds(120)).until(() -> told.size() == keys);

            assertThat(Integer.parseInt(ask(server, WAITERS_LOCKS))).isEqualTo(keys);
        }
    }

    /** A waiter is told once when its process begins to listen. */
    private List<Subscription> waitForKeys(LockBackend backend, int keys) {
        ReleaseSignals signals = backend.ability(ReleaseSignals.class).orElseThrow();
        List<Subscription> waiting = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            int key = i;
            waiting.add(signals.subscribe(LockKey.of("key " + i), LockId.random(), signal -> told.add(key)));
        }
        return waiting;
    }

    private static String ask(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = TestServer.dataSource(server).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
