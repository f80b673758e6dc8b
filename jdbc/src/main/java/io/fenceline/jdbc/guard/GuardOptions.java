package io.fenceline.jdbc.guard;

import static java.util.Objects.requireNonNull;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.transaction.Transactions;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Options of guards in a database.
 *
 * @param rule how often a grant may write
 * @param listeners told of refusals, after a transaction of the guard's own was rolled back
 * @param table the table with the fences, perhaps after a schema and a dot; what else is needed has names that begin with it.
 *     All who write to the same resources name the same
 * @param retries how often a transaction of the guard's own is repeated after a conflict
 * @param product the name of the database product; if empty, what the connection's driver says
 * @param autoCommitOff whether a connection with auto-commit off, and nothing begun as far as the driver knows, is idle; else it
 *     is taken for somebody's transaction, in which a guard begins none of its own
 */
public record GuardOptions(
        FenceRule rule,
        LockListeners listeners,
        String table,
        int retries,
        Optional<String> product,
        boolean autoCommitOff) {

    private static final int DEFAULT_RETRIES = 30;

    /**
     * Checks the name and the number.
     *
     * @throws IllegalArgumentException if the table is no plain name, or the retries are below 0
     */
    public GuardOptions {
        requireNonNull(rule, "rule");
        requireNonNull(listeners, "listeners");
        requireNonNull(table, "table");
        requireNonNull(product, "product");
        new FenceTable(table);
        if (retries < 0) {
            throw new IllegalArgumentException("retries is " + retries + ", at least 0 is needed");
        }
    }

    /**
     * Returns the rule {@link FenceRule#AT_LEAST}, the table {@code fenceline_fences}, 30 retries, no listeners, and the
     * product that the driver tells.
     *
     * @return the options to start from
     */
    public static GuardOptions defaults() {
        return new GuardOptions(
                FenceRule.AT_LEAST,
                LockListeners.NONE,
                FenceTable.DEFAULT_NAME,
                DEFAULT_RETRIES,
                Optional.empty(),
                false);
    }

    /**
     * Returns these options with another rule.
     *
     * @param newRule how often a grant may write
     * @return a copy
     */
    public GuardOptions withRule(FenceRule newRule) {
        return new GuardOptions(newRule, listeners, table, retries, product, autoCommitOff);
    }

    /**
     * Returns these options with other listeners.
     *
     * @param newListeners told of refusals
     * @return a copy
     */
    public GuardOptions withListeners(LockListener... newListeners) {
        return new GuardOptions(rule, LockListeners.of(newListeners), table, retries, product, autoCommitOff);
    }

    /**
     * Returns these options with another table. All guards of a database have the same. The command takes {@code
     * fenceline_fences}, or with {@code ?table=jobs} in its URI {@code jobs_fences}.
     *
     * @param newTable lower-case letters, digits and underscores, perhaps after a schema and a dot
     * @return a copy
     */
    public GuardOptions withTable(String newTable) {
        return new GuardOptions(rule, listeners, newTable, retries, product, autoCommitOff);
    }

    /**
     * Returns these options with another number of retries.
     *
     * @param newRetries how often a transaction of the guard's own is repeated after a conflict
     * @return a copy
     */
    public GuardOptions withRetries(int newRetries) {
        return new GuardOptions(rule, listeners, table, newRetries, product, autoCommitOff);
    }

    /**
     * Returns these options with a product, for drivers and pools that do not tell theirs.
     *
     * @param newProduct {@code PostgreSQL}, {@code MariaDB}, {@code MySQL}, {@code H2} or {@code SQLite}
     * @return a copy
     * @throws IllegalArgumentException if it is none of these
     */
    public GuardOptions withProduct(String newProduct) {
        return new GuardOptions(
                rule,
                listeners,
                table,
                retries,
                Optional.of(
                        Products.named(requireNonNull(newProduct, "product")).name()),
                autoCommitOff);
    }

    /**
     * Returns these options for a data source whose connections come with auto-commit off and no transaction begun, as some
     * pools are set. Never for one that is bound to transactions of others, such as a {@code
     * TransactionAwareDataSourceProxy}: where a transaction has begun without a statement yet, nothing tells it from an idle
     * connection, and the guard would commit it. On SQLite nothing tells the two apart at any time, so such connections are
     * refused all the same.
     *
     * @return a copy
     */
    public GuardOptions withAutoCommitOff() {
        return new GuardOptions(rule, listeners, table, retries, product, true);
    }

    /** Returns the transactions of a guard with these options. */
    Transactions transactions(DataSource source) {
        return new Transactions(source, product, table, retries, autoCommitOff);
    }
}
