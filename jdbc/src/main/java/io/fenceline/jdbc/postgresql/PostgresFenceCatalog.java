package io.fenceline.jdbc.postgresql;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.jdbc.catalog.TableFenceCatalog;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.SqlFile;
import java.util.Optional;

/**
 * The catalog on PostgreSQL. Every change is one statement with its audit record, so that an operator's program
 * that is stopped in the middle keeps no fence locked.
 */
final class PostgresFenceCatalog extends TableFenceCatalog {

    private static final SqlFile SQL = SqlFile.of(PostgresFenceCatalog.class, "fence-statements.sql");

    private final LockStore store;
    private final PostgresStatement raise;
    private final PostgresStatement rebind;

    PostgresFenceCatalog(LockStore store, PostgreSql product) {
        super(store, product);
        this.store = store;
        SqlFile sql = SQL.with(FenceTable.beside(store.table().name())::in);
        this.raise = new PostgresStatement(sql, "raise");
        this.rebind = new PostgresStatement(sql, "rebind");
    }

    @Override
    protected String beginsWithPrefix() {
        return "starts_with(resource, ?1)";
    }

    @Override
    protected Fence raised(String name, FenceStamp atLeast, Holder by) {
        return tryRaise(name, atLeast, by)
                .or(() -> tryRaise(name, atLeast, by)) // another made the row meanwhile, which stays
                // As high already, or another lock's. A statement does not see what was committed after it began.
                .or(() -> store.database().read(connection -> sql(READ).one(connection, this::fence, name)))
                .orElseThrow(() -> new BackendException(
                        ErrorCode.ABORTED, Effect.NONE, "the fence of '" + name + "' changes; repeat", null));
    }

    private Optional<Fence> tryRaise(String name, FenceStamp atLeast, Holder by) {
        return store.database()
                .change(connection -> raise.one(
                        connection,
                        this::fence,
                        name,
                        atLeast.key().value(),
                        atLeast.token().value(),
                        by.text(),
                        store.lockTimeout()));
    }

    @Override
    protected boolean rebound(String name, LockKey from, LockKey to, Holder by) {
        return store.database()
                .change(connection -> rebind.one(
                        connection, row -> true, name, from.value(), to.value(), by.text(), store.lockTimeout()))
                .isPresent();
    }
}
