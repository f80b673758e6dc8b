package io.fenceline.jdbc.syncguard;

import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.TableLayout;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of SyncGuard's two tables. */
public record SyncGuardTables(LockTable table, LockTable fences) implements TableLayout {

    /** The name that SyncGuard gives the table of locks, and that it has in our statements as they are written down. */
    public static final String DEFAULT_LOCKS = "syncguard_locks";

    /** The name that SyncGuard gives the table of counters. */
    public static final String DEFAULT_FENCES = "syncguard_fence_counters";

    private static final Pattern NAMES = Pattern.compile("(idx_)?" + DEFAULT_LOCKS + "|" + DEFAULT_FENCES);
    private static final String PRODUCT = "PostgreSQL";

    /**
     * Checks that there are two.
     *
     * @throws IllegalArgumentException if both names are the same
     */
    public SyncGuardTables {
        if (table.equals(fences)) {
            throw new IllegalArgumentException("the locks and the fences are both in table '" + table.name()
                    + "'; name two tables, as SyncGuard's tableName and fenceTableName do");
        }
    }

    /**
     * Creates the names.
     *
     * @param locks SyncGuard's {@code tableName}
     * @param fences its {@code fenceTableName}
     * @throws IllegalArgumentException if one is no plain name, or both are the same
     */
    public SyncGuardTables(String locks, String fences) {
        this(new LockTable(locks), new LockTable(fences));
    }

    @Override
    public LockDialect of(LockDialect product) {
        if (!product.product().name().equals(PRODUCT)) {
            throw new IllegalArgumentException("SyncGuard keeps its tables on " + PRODUCT + " and this is "
                    + product.product().name() + "; leave its layout out, or connect to the database that it uses");
        }
        return new SyncGuardDialect(product, this);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /**
     * Puts the names into statements, in quotation marks as SyncGuard does, since one may be a reserved word; plain where they are the
     * text of a literal.
     *
     * @param sql statements with the default names; an index of the locks has that table's name after {@code idx_}
     */
    String in(String sql) {
        return NAMES.matcher(sql).replaceAll(found -> {
            boolean literal = found.start() > 0 && sql.charAt(found.start() - 1) == '\'';
            return Matcher.quoteReplacement(name(found.group(), literal));
        });
    }

    private String name(String found, boolean literal) {
        if (found.equals(DEFAULT_FENCES)) {
            return literal ? fences.name() : quoted(fences);
        }
        if (found.equals(DEFAULT_LOCKS)) {
            return literal ? table.name() : quoted(table);
        }
        return "idx_" + plain(table);
    }

    private static String quoted(LockTable table) {
        return '"' + table.name().replace(".", "\".\"") + '"';
    }

    /** An index is always in the schema of its table, and is made without naming it. */
    private static String plain(LockTable table) {
        return table.name().substring(table.name().indexOf('.') + 1);
    }
}
