package io.fenceline.jdbc.syncguard;

import static org.awaitility.Awaitility.await;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** One store, our processes and SyncGuard's. */
@Timeout(120)
abstract class SharedStore {

    static final LockKey KEY = LockKey.of("resource:123");
    static final Duration TTL = Duration.ofMinutes(5);

    final SharedTables tables = SharedTables.borrow();
    final LockBackend ours = JdbcLockBackend.on(tables.pool(), SyncGuardFixture.options());
    final SyncGuardPeer theirs = new SyncGuardPeer(tables.pool());

    @AfterEach
    void giveBack() {
        ours.close();
        tables.close();
    }

    Grant take(LockKey key) {
        return ((Granted) acquire(key, LockId.random())).grant();
    }

    Acquisition acquire(LockKey key, LockId lockId) {
        return ours.acquire(request(key, lockId));
    }

    static AcquireRequest request(LockKey key, LockId lockId) {
        return AcquireRequest.of(key, lockId, TTL, Holder.of("us"));
    }

    void awaitWaiter() {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !rows("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                        .isEmpty());
    }

    List<Map<String, Object>> rows(String sql) throws SQLException {
        try (Connection connection = tables.pool().getConnection();
                Statement statement = connection.createStatement()) {
            return all(statement, sql);
        }
    }

    static List<Map<String, Object>> all(Statement statement, String sql) throws SQLException {
        List<Map<String, Object>> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                Map<String, Object> row = new LinkedHashMap<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.put(result.getMetaData().getColumnName(i), result.getObject(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
