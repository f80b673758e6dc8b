package io.fenceline.sqlite;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.WaiterNotices;
import java.time.Duration;
import java.util.Optional;

/** Notices of waiters in a table beside the locks. A power failure may undo them. */
final class SqliteWaiterNotices implements WaiterNotices {

    /** Another process's notice stays. */
    private static final String POST = """
            INSERT INTO fenceline_waiter (lock_key, waiter, pause) VALUES (?1, ?2, ?3)
            ON CONFLICT (lock_key) DO UPDATE SET pause = excluded.pause WHERE waiter = excluded.waiter
            RETURNING waiter""";

    private static final String FIND = """
            SELECT waiter FROM fenceline_waiter WHERE lock_key = ?1""";

    private static final String TAKE = """
            DELETE FROM fenceline_waiter WHERE lock_key = ?1 RETURNING waiter, pause""";

    /** Random name of this process in its notices. */
    private final String process = LockId.random().text();

    private final SqliteStore store;

    SqliteWaiterNotices(SqliteStore store) {
        this.store = store;
    }

    @Override
    public void post(LockKey key, Duration nextAttempt, Duration timeout) {
        if (waiter(timeout, key).filter(other -> !other.equals(process)).isEmpty()) {
            store.changeWithoutSync(
                    timeout, POST, row -> row.getString(1), key.value(), process, nextAttempt.toMillis() + 1);
        }
    }

    /** {@inheritDoc} Reads first, since a read waits for no writer. */
    @Override
    public Optional<Duration> take(LockKey key, Duration timeout) {
        if (waiter(timeout, key).isEmpty()) {
            return Optional.empty();
        }
        return store.changeWithoutSync(
                        timeout,
                        TAKE,
                        row -> row.getString(1).equals(process) ? Duration.ZERO : Duration.ofMillis(row.getLong(2)),
                        key.value())
                .filter(pause -> !pause.isZero());
    }

    private Optional<String> waiter(Duration timeout, LockKey key) {
        return store.one(timeout, FIND, row -> row.getString(1), key.value());
    }
}
