package io.fenceline.jdbc.product;

import io.fenceline.jdbc.sql.FoundTables;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.jdbc.sql.SqlErrors;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.LockCatalog;
import java.util.Optional;

/** Base of the products that keep locks in a table. Their scripts and statements lie beside their class. */
public abstract class TableProduct implements Product, LockDialect {

    private static final RequiredLibrary POOL =
            new RequiredLibrary("com.zaxxer:HikariCP", "com.zaxxer.hikari", "com.zaxxer.hikari.HikariDataSource");

    /** The statements of locks that lie beside the class, with those that products have in common. */
    protected final SqlFile sql = SqlFile.of(getClass(), "lock-statements.sql").and(TableLocks.COMMON);

    private final String name;
    private final SqlErrors errors;
    private final FenceDialect fences;
    private final RequiredLibrary driver;

    /** Creates a product; {@code driver} is what its URIs need beside a pool. */
    protected TableProduct(String name, SqlErrors errors, FenceDialect fences, RequiredLibrary driver) {
        this.name = name;
        this.errors = errors;
        this.fences = fences;
        this.driver = driver;
    }

    /** Opens a database by its URI, as {@link #open} does. */
    protected abstract OpenedDatabase connect(String uri);

    @Override
    public final OpenedDatabase open(String uri) {
        RequiredLibrary.ensurePresent(uri.substring(0, uri.indexOf(':')), driver, POOL);
        return connect(uri);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Product product() {
        return this;
    }

    @Override
    public final Optional<LockDialect> locks() {
        return Optional.of(this);
    }

    @Override
    public final SqlErrors errors() {
        return errors;
    }

    @Override
    public final FenceDialect fences() {
        return fences;
    }

    @Override
    public LockStatements statements(LockStore store) {
        return new RowLocks(fences, sql.with(store.table()::in));
    }

    @Override
    public LockCatalog catalog(LockStore store) {
        return new RowLockCatalog(store, fences, sql);
    }

    @Override
    public FoundTables tables() {
        return new FoundTables(sql.sql("columns"));
    }

    @Override
    public StoreSchema schema(LockStore store) {
        return new ScriptSchema(store.database(), this, script(store.table()));
    }

    @Override
    public final String script(LockTable table) {
        FenceTable beside = FenceTable.beside(table.name());
        return locksScript(table) + "\n" + beside.in(fences.script("fences"));
    }

    /** Returns the part of the script that is about locks; {@code schema-1.sql} unless overridden. */
    protected String locksScript(LockTable table) {
        return table.in(ScriptFiles.read(getClass(), "schema-1.sql"));
    }
}
