package io.fenceline.jdbc.syncguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.sql.Batch;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks of ours and of SyncGuard's processes on one store, as the other side sees them. */
class SyncGuardInteropTest extends SharedStore {

    @Test
    void ourRowsAreAsTheReferenceSays() throws SQLException {
        Grant grant = take(LockKey.of("cafe\u0301/1"));

        assertThat(rows("SELECT * FROM syncguard_locks"))
                .containsExactly(Map.of(
                        "key",
                        "caf\u00e9/1",
                        "lock_id",
                        grant.lockId().text(),
                        "expires_at_ms",
                        grant.acquiredAt().plus(TTL).toEpochMilli(),
                        "acquired_at_ms",
                        grant.acquiredAt().toEpochMilli(),
                        "fence",
                        "000000000000001",
                        "user_key",
                        "caf\u00e9/1"));
        assertThat(rows("SELECT * FROM syncguard_fence_counters"))
                .containsExactly(Map.of("fence_key", "fence:caf\u00e9/1", "fence", 1L, "key_debug", "caf\u00e9/1"));
    }

    @Test
    void theLongestKeyIsStoredAsItIs() throws SQLException {
        String key = "x".repeat(512);

        take(LockKey.of(key));

        assertThat(rows("SELECT key, user_key FROM syncguard_locks"))
                .containsExactly(Map.of("key", key, "user_key", key));
        assertThat(rows("SELECT fence_key FROM syncguard_fence_counters"))
                .containsExactly(Map.of("fence_key", "fence:" + key));
    }

    @ParameterizedTest
    @ValueSource(strings = {"hello -1870292951", "resource:123 -2067361367"})
    void theServerHashesAsTheReferenceSaw(String line) throws SQLException {
        String[] words = line.split(" ");

        assertThat(rows("SELECT hashtext('" + words[0] + "') AS hash"))
                .containsExactly(Map.of("hash", Integer.valueOf(words[1])));
    }

    @Test
    @Tag("G1")
    @Tag("G6")
    void whatWeHoldTheyAreRefusedAndSeeAndExtendAndRelease() throws SQLException {
        Grant grant = take(KEY);
        String lockId = grant.lockId().text();

        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 1_000)).isEmpty();
        assertThat(theirs.isLocked(KEY.value())).isTrue();
        assertThat(theirs.extend(lockId, 2 * TTL.toMillis())).isTrue();
        assertThat(ours.lookup(KEY).orElseThrow().expiresAt()).isAfter(grant.expiresAt());
        assertThat(theirs.release(lockId)).isTrue();

        assertThat(ours.isLocked(KEY)).isFalse();
        assertThat(ours.release(KEY, grant.lockId())).isFalse();
    }

    @Test
    @Tag("G1")
    @Tag("G6")
    void whatWeKeepAfterOurWorkTheyAreRefused() throws SQLException {
        Grant grant = take(KEY);

        assertThat(ours.releaseAfter(KEY, grant.lockId(), TTL.dividedBy(2))).isTrue();

        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 1_000)).isEmpty();
        assertThat(theirs.isLocked(KEY.value())).isTrue();
        assertThat(ours.lookup(KEY).orElseThrow().expiresAt()).isBefore(grant.expiresAt());
    }

    @Test
    @Tag("G1")
    @Tag("G6")
    void whatTheyHoldWeAreRefusedAndSeeAndExtendAndRelease() throws SQLException {
        LockId lockId = LockId.random();
        assertThat(theirs.acquire(KEY.value(), lockId.text(), TTL.toMillis())).contains("000000000000001");

        Contended refusal = (Contended) acquire(KEY, LockId.random());
        assertThat(refusal.remaining()).isBetween(TTL.minusMinutes(1), TTL.plus(SyncGuardFixture.GRACE));
        assertThat(refusal.holder()).isEmpty();
        LockRecord seen = ours.lookup(KEY).orElseThrow();
        assertThat(seen.raw().lockId()).isEqualTo(lockId);
        assertThat(ours.lookup(lockId).orElseThrow().token().value()).isEqualTo(1);
        assertThat(ours.extend(KEY, lockId, TTL.multipliedBy(2))).isPresent();
        assertThat(ours.release(KEY, lockId)).isTrue();

        assertThat(theirs.isLocked(KEY.value())).isFalse();
        assertThat(theirs.release(lockId.text())).isFalse();
    }

    @Test
    @Tag("G2")
    void oneCounterServesBoth() throws SQLException {
        for (int i = 0; i < 3; i++) {
            Grant grant = take(KEY);
            assertThat(grant.token().value()).isEqualTo(2 * i + 1);
            assertThat(ours.release(KEY, grant.lockId())).isTrue();
            String lockId = LockId.random().text();
            assertThat(theirs.acquire(KEY.value(), lockId, 60_000)).contains("%015d".formatted(2 * i + 2));
            assertThat(theirs.release(lockId)).isTrue();
        }
        ours.acquire(new AcquireRequest(KEY, LockId.random(), TTL, Holder.of("us"), 10, Duration.ZERO));
        tables.passTime(TTL.plusSeconds(1));

        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 60_000)).contains("000000000000017");
    }

    /** Somebody has emptied the table of counters. */
    @Test
    @Tag("G2")
    void aForcedReleaseMendsACounterThatIsGone() throws SQLException {
        take(KEY);
        long token = take(LockKey.of("other")).token().value();
        try (Connection connection = tables.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM syncguard_fence_counters");
        }

        assertThat(ours.ability(LockCatalog.class).orElseThrow().forceRelease(KEY, Holder.of("ann")))
                .isPresent();

        assertThat(token).isEqualTo(1);
        assertThat(take(KEY).token().value()).isEqualTo(3);
    }

    @Test
    @Tag("G1")
    void aDeadRowOfEitherIsTakenOverASecondAfterItsEnd() throws SQLException {
        tables.stopClock();
        Grant grant = take(KEY);
        tables.passTime(TTL.plusMillis(999));
        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 10_000)).isEmpty();
        tables.passTime(Duration.ofMillis(1));
        assertThat(theirs.acquire(KEY.value(), LockId.random().text(), 10_000)).isPresent();
        assertThat(ours.extend(KEY, grant.lockId(), TTL)).isEmpty();

        tables.passTime(Duration.ofMillis(10_999));
        assertThat(acquire(KEY, LockId.random())).isInstanceOf(Contended.class);
        tables.passTime(Duration.ofMillis(1));
        assertThat(take(KEY).token().value()).isEqualTo(3);
        assertThat(rows("SELECT * FROM syncguard_locks")).hasSize(1);
    }

    @Test
    void connectionsAreLeftAsTheyWereAlsoAfterAnError() throws SQLException {
        try (Connection only = tables.source().getConnection()) {
            Map<String, Object> before = settings(only);
            SyncGuardTables names = new SyncGuardTables("syncguard_locks", "syncguard_fence_counters");
            Batch failing = new Batch(SyncGuardLocks.SQL.text("key_locked") + ";\nSELECT 1 / 0");
            Batch working = new Batch(
                    names.in(SyncGuardLocks.SQL.text("key_locked") + ";\nSELECT count(*) FROM syncguard_locks"));

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> failing.run(only, row -> row.getInt(1), "key", "100ms"));
            assertThat(working.run(only, row -> row.getInt(1), "key", "100ms")).contains(0);

            assertThat(settings(only)).isEqualTo(before);
            assertThat(rows("SELECT * FROM pg_locks WHERE locktype = 'advisory'"))
                    .isEmpty();
        }
    }

    private static Map<String, Object> settings(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return all(
                            statement,
                            "SELECT current_setting('transaction_isolation') AS isolation,"
                                    + " current_setting('lock_timeout') AS timeout,"
                                    + " current_setting('synchronous_commit') AS commit")
                    .get(0);
        }
    }

    @ParameterizedTest
    @Tag("G1")
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void bothRaceForOneLockAndSpendEachTokenOnceWhateverIsolationIsOurDefault(String level) throws Exception {
        int cycles = Integer.getInteger("fenceline.syncguard.cycles", 8);
        List<String> tokens = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger inside = new AtomicInteger();
        HikariDataSource strict = new HikariDataSource();
        strict.setDataSource(tables.source());
        strict.setConnectionInitSql("SET default_transaction_isolation = '" + level + "'");
        LockBackend backend = JdbcLockBackend.on(strict, SyncGuardFixture.options());

        List<Callable<Void>> racers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            racers.add(() -> race(
                    cycles,
                    tokens,
                    inside,
                    lockId -> backend.acquire(request(KEY, lockId)) instanceof Granted granted
                            ? granted.grant().token().text()
                            : "",
                    lockId -> backend.release(KEY, lockId)));
            racers.add(() -> race(
                    cycles,
                    tokens,
                    inside,
                    lockId -> theirs.acquire(KEY.value(), lockId.text(), TTL.toMillis())
                            .orElse(""),
                    lockId -> theirs.release(lockId.text())));
        }
        ExecutorService threads = Executors.newFixedThreadPool(racers.size());
        try {
            for (Future<Void> end : threads.invokeAll(racers)) {
                end.get();
            }
        } finally {
            threads.shutdownNow();
            backend.close();
            strict.close();
        }

        assertThat(tokens)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, racers.size() * cycles)
                        .mapToObj("%015d"::formatted)
                        .toList());
    }

    private static Void race(int cycles, List<String> tokens, AtomicInteger inside, Ask ask, Leave leave)
            throws Exception {
        for (int left = cycles; left > 0; ) {
            LockId lockId = LockId.random();
            String token = ask.tokenOf(lockId);
            if (token.isEmpty()) {
                Thread.yield();
                continue;
            }
            assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
            tokens.add(token);
            left--;
            inside.decrementAndGet();
            assertThat(leave.released(lockId)).isTrue();
        }
        return null;
    }

    private interface Ask {
        String tokenOf(LockId lockId) throws SQLException;
    }

    private interface Leave {
        boolean released(LockId lockId) throws SQLException;
    }
}
