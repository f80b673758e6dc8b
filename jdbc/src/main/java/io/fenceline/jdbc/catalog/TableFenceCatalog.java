package io.fenceline.jdbc.catalog;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.Product;
import io.fenceline.jdbc.sql.RowConflict;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sql.SqlWork;
import io.fenceline.spi.Checks;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lists fences and puts things right by hand, where names are kept as bytes. Every change and its record are one transaction,
 * which is tried again after a conflict with others.
 */
public class TableFenceCatalog implements FenceCatalog {

    private static final String LIST = """
            SELECT resource, lock_key, highest, written
              FROM fenceline_fences
             WHERE resource >= ?1 AND %s
             ORDER BY resource LIMIT ?2""";

    /** No byte of a name is 255, so names that begin with the prefix are all those between. */
    private static final String BELOW_THE_NEXT_PREFIX = "resource < ?3";

    protected static final String READ = """
            SELECT lock_key, highest, written FROM fenceline_fences WHERE resource = ?1""";

    private static final String MAKE = """
            INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
            VALUES (?1, ?2, ?3, 0, %1$s)""";

    /** On the condition that the fence is as it was seen, since H2 shows those that wait for a row what it was before. */
    private static final String RAISE = """
            UPDATE fenceline_fences
               SET highest = ?4, updated_at = %1$s
             WHERE resource = ?1 AND lock_key = ?2 AND highest = ?3""";

    /** On the same condition. The new lock's tokens may be smaller than those of the old, so any of them is let in. */
    private static final String REBIND = """
            UPDATE fenceline_fences
               SET lock_key = ?4, highest = 1, written = 0, updated_at = %1$s
             WHERE resource = ?1 AND lock_key = ?2 AND highest = ?3""";

    private static final String RECORD = """
            INSERT INTO fenceline_fences_audit
                   (at, actor, act, resource, key_before, key_after, highest_before, highest_after)
            VALUES (%1$s, ?1, ?2, ?3, ?4, ?5, ?6, ?7)""";

    private final LockStore store;
    private final FenceDialect dialect;
    private final FenceTable table;
    private final JdbcFenceGuard guard;

    /** Creates the catalog of the fences beside a table of locks. */
    public TableFenceCatalog(LockStore store, Product product) {
        this.store = store;
        this.dialect = product.fences();
        this.table = FenceTable.beside(store.table().name());
        this.guard = JdbcFenceGuard.on(
                store.database().source(),
                GuardOptions.defaults()
                        .withTable(table.name())
                        .withProduct(product.name())
                        .withAutoCommitOff());
    }

    @Override
    public final FenceGuard guard() {
        store.database().makeTables();
        return guard;
    }

    @Override
    public final Map<String, Fence> list(String prefix, int limit) {
        Checks.limit(limit);
        String from = LockKey.prefix(prefix);
        byte[] bytes = from.getBytes(StandardCharsets.UTF_8);
        byte[] to = Arrays.copyOf(bytes, bytes.length + 1);
        to[bytes.length] = (byte) 255;
        Sql query = new Sql(table.in(LIST.formatted(beginsWithPrefix())));
        Map<String, Fence> fences = new LinkedHashMap<>();
        store.database()
                .read(
                        connection -> query.readable(connection, this::named, dialect.key(from), limit, to),
                        List.<Map.Entry<String, Fence>>of())
                .forEach(fence -> fences.put(fence.getKey(), fence.getValue()));
        return fences;
    }

    /**
     * Returns the condition for names that begin with a prefix.
     *
     * @return the condition: {@code ?1} is the prefix, {@code ?3} the prefix and a byte 255
     */
    protected String beginsWithPrefix() {
        return BELOW_THE_NEXT_PREFIX;
    }

    @Override
    public final Fence raise(String resource, FenceStamp atLeast, Holder by) {
        String name = ResourceName.of(resource).value();
        Fence now = raised(name, atLeast, by);
        if (!now.key().equals(atLeast.key())) {
            throw new ForeignTokenException(name, atLeast, now.key());
        }
        return now;
    }

    /**
     * Raises a fence of the same lock, or makes one, and records that if it changes anything.
     *
     * @param atLeast the lock and the token
     * @return the fence as it is then, perhaps another lock's
     */
    protected Fence raised(String name, FenceStamp atLeast, Holder by) {
        SqlWork<Fence> work = connection -> raised(connection, name, atLeast, by);
        return change(work);
    }

    private Fence raised(Connection connection, String name, FenceStamp atLeast, Holder by) throws SQLException {
        FencingToken token = atLeast.token();
        String owner = atLeast.key().value();
        Optional<Fence> before = locked(connection, name);
        if (before.isEmpty()) {
            // Fails if another has just made the row, and is tried again.
            sql(MAKE).run(connection, dialect.key(name), dialect.key(owner), token.value());
            record(connection, by, "raise", name, "", owner, 0, token);
            return new Fence(atLeast.key(), token, 0);
        }
        Fence fence = before.get();
        if (!fence.onClaim(atLeast).isAccepted() || fence.highest().equals(token)) {
            return fence;
        }
        changeAsSeen(RAISE, connection, name, fence, token.value());
        record(connection, by, "raise", name, owner, owner, fence.highest().value(), token);
        return new Fence(fence.key(), token, fence.written());
    }

    @Override
    public final boolean rebind(String resource, LockKey from, LockKey to, Holder by) {
        String name = ResourceName.of(resource).value();
        if (from.equals(to)) {
            throw new IllegalArgumentException("'" + name + "' is to go from lock '" + from + "' to the same lock");
        }
        Optional<Fence> fence = store.database()
                .read(connection -> sql(READ).one(connection, this::fence, dialect.key(name)), Optional.empty());
        return fence.isPresent() && rebound(name, from, to, by); // makes no tables
    }

    /**
     * Binds a fence to another lock, and records that.
     *
     * @return false if there is no fence of the first lock
     */
    protected boolean rebound(String name, LockKey from, LockKey to, Holder by) {
        SqlWork<Boolean> work = connection -> {
            Optional<Fence> before =
                    locked(connection, name).filter(fence -> fence.key().equals(from));
            if (before.isPresent()) {
                changeAsSeen(REBIND, connection, name, before.get(), dialect.key(to.value()));
                long highest = before.get().highest().value();
                record(connection, by, "rebind", name, from.value(), to.value(), highest, FencingToken.of(1));
            }
            return before.isPresent();
        };
        return change(work);
    }

    private <T> T change(SqlWork<T> work) {
        return store.database()
                .change(connection -> RowConflict.retried(connection, dialect::isRowConflict, work.inTransaction()));
    }

    private void changeAsSeen(String text, Connection connection, String name, Fence seen, Object to)
            throws SQLException {
        int changed = sql(text)
                .run(
                        connection,
                        dialect.key(name),
                        dialect.key(seen.key().value()),
                        seen.highest().value(),
                        to);
        if (changed == 0) {
            throw new SQLTransactionRollbackException(
                    "others changed the fence of '" + name + "' at the same time", "40001");
        }
    }

    /** Locks a row that is there. To ask for the lock of one that is not would lock its neighbourhood on some products. */
    private Optional<Fence> locked(Connection connection, String name) throws SQLException {
        Optional<Fence> seen = sql(READ).one(connection, this::fence, dialect.key(name));
        return seen.isEmpty() ? seen : sql(dialect.latest(READ)).one(connection, this::fence, dialect.key(name));
    }

    private void record(
            Connection connection,
            Holder by,
            String act,
            String resource,
            String keyBefore,
            String keyAfter,
            long highestBefore,
            FencingToken highestAfter)
            throws SQLException {
        sql(RECORD)
                .run(
                        connection,
                        by.text(),
                        act,
                        dialect.key(resource),
                        dialect.key(keyBefore),
                        dialect.key(keyAfter),
                        highestBefore,
                        highestAfter.value());
    }

    /**
     * Returns a statement on this store's tables.
     *
     * @param text the statement, with {@code %1$s} for the time
     */
    protected final Sql sql(String text) {
        return new Sql(table.in(text.formatted(dialect.now())));
    }

    /** Reads a fence. */
    protected final Fence fence(ResultSet row) throws SQLException {
        return new Fence(
                LockKey.of(dialect.key(row, "lock_key")),
                FencingToken.of(row.getLong("highest")),
                row.getLong("written"));
    }

    private Map.Entry<String, Fence> named(ResultSet row) throws SQLException {
        return Map.entry(dialect.key(row, "resource"), fence(row));
    }
}
