package io.fenceline.jdbc.product;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.WaiterNotices;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Duration;
import java.util.Optional;

/**
 * Waiters' notices in a table beside the locks, by statements that every product has and that need no right to delete: a notice that was
 * taken away leaves an empty row. Each statement commits by itself.
 */
public final class NoticeTable implements WaiterNotices {

    private static final String FIND = """
            SELECT waiter, pause FROM fenceline_lock_waiter WHERE lock_key = ?1""";

    private static final String INSERT = """
            INSERT INTO fenceline_lock_waiter (lock_key, waiter, pause) VALUES (?1, ?2, ?3)""";

    private static final String UPDATE = """
            UPDATE fenceline_lock_waiter SET waiter = ?2, pause = ?3 WHERE lock_key = ?1 AND waiter IN (?2, '')""";

    private static final String CLEAR = """
            UPDATE fenceline_lock_waiter SET waiter = '' WHERE lock_key = ?1 AND waiter = ?2""";

    /** Names this process in its notices; as good as any other random name. */
    private final String process = LockId.random().text();

    private final Database database;
    private final Sql find;
    private final Sql insert;
    private final Sql update;
    private final Sql clear;

    /** Creates the notices of a store, whose keys are bytes. */
    public NoticeTable(LockStore store) {
        this.database = store.database();
        this.find = new Sql(store.table().in(FIND));
        this.insert = new Sql(store.table().in(INSERT));
        this.update = new Sql(store.table().in(UPDATE));
        this.clear = new Sql(store.table().in(CLEAR));
    }

    @Override
    public void post(LockKey key, Duration nextAttempt, Duration timeout) {
        database.change(timeout, connection -> {
            Object[] values = {bytes(key), process, nextAttempt.toMillis() + 1};
            Optional<Notice> found = find.one(connection, Notice::in, values);
            if (found.isEmpty()) {
                return insert(connection, values);
            }
            return found.get().isOpenTo(process) && update.run(connection, values) > 0;
        });
    }

    private boolean insert(Connection connection, Object... values) throws SQLException {
        try {
            return insert.run(connection, values) > 0;
        } catch (SQLIntegrityConstraintViolationException anotherWasFaster) {
            return false;
        }
    }

    @Override
    public Optional<Duration> take(LockKey key, Duration timeout) {
        return database.change(timeout, connection -> {
            Optional<Notice> found = find.one(connection, Notice::in, bytes(key));
            if (found.isEmpty() || clear.run(connection, bytes(key), found.get().process()) == 0) {
                return Optional.empty();
            }
            return found.filter(notice -> !notice.isOpenTo(process)).map(Notice::pause);
        });
    }

    private record Notice(String process, Duration pause) {

        static Notice in(ResultSet row) throws SQLException {
            return new Notice(row.getString(1), Duration.ofMillis(row.getLong(2)));
        }

        /** Whether a process may write its own over it. */
        boolean isOpenTo(String another) {
            return process.isEmpty() || process.equals(another);
        }
    }

    private static byte[] bytes(LockKey key) {
        return key.value().getBytes(StandardCharsets.UTF_8);
    }
}
