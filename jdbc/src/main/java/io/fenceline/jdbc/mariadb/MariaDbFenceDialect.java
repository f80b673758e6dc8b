package io.fenceline.jdbc.mariadb;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.product.ByteNameFences;
import io.fenceline.jdbc.product.FenceStep;
import io.fenceline.jdbc.product.TextComparison;
import io.fenceline.jdbc.product.TransactionCheck;
import io.fenceline.jdbc.sql.ScriptStatements;
import io.fenceline.jdbc.sql.SqlNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fences on MariaDB and MySQL. An insert with {@code ON DUPLICATE KEY UPDATE} comes first: it locks the row that is there,
 * whatever it holds and at every isolation level, and judges its latest state. An update or a locking read of a row that is not
 * there would lock the gap between its neighbours at REPEATABLE READ, and two that do so for different resources, and then
 * insert, are deadlocked.
 *
 * <p>Drivers differ in what they count. With all of them 2 rows mean one that was there and is changed, and nothing else does;
 * an admitted stamp always changes the time. The first insert of a resource and a refusal may both be 1: the update that
 * follows, of the row that is there now, tells them apart.
 */
final class MariaDbFenceDialect extends ByteNameFences {

    private static final int DUPLICATE_KEY = 1062;
    private static final int NO_SUCH_SAVEPOINT = 1305;

    /** As the driver writes its URL, properties included. It repeats nothing where the URL names no way to fail over. */
    private static final Pattern REPLAYING = Pattern.compile("^jdbc:\\w+:[\\w-]+://.*[?&]transactionReplay=true");

    private final String product;

    MariaDbFenceDialect(String product) {
        super(DUPLICATE_KEY, MariaDbErrors.CONFLICTS);
        this.product = product;
    }

    /** {@inheritDoc} YEAR takes 26 for 2026. */
    @Override
    public int columnType(int type, String typeName) {
        return typeName.equals("YEAR") ? Types.OTHER : type;
    }

    @Override
    public List<FenceStep> write(FenceRule rule) {
        return rule == FenceRule.ONCE
                ? entering("enter_written_once", "raise_written_once")
                : entering("enter_written", "raise_written");
    }

    @Override
    public List<FenceStep> claim() {
        return entering("enter_claimed", "raise_claimed");
    }

    private List<FenceStep> entering(String enter, String raise) {
        return List.of(new FenceStep(sql.text(enter), 2), FenceStep.one(sql.text(raise)));
    }

    @Override
    public List<String> nextNumber() {
        return List.of(sql.text("count"), sql.text("counted"));
    }

    @Override
    public List<FenceStep> raiseClock() {
        return steps("raise_clock");
    }

    /**
     * {@inheritDoc} CHAR drops spaces at the end, and only collations without padding count them. ENUM takes '1' for its first
     * text, and SET takes 'b,a' for 'a,b'.
     */
    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        return sql.sql("collation")
                .one(
                        connection,
                        row -> comparison(row.getString(1), row.getString(2)),
                        database(connection, table),
                        unqualified(table),
                        column)
                .orElse(TextComparison.LOOSE);
    }

    private static String database(Connection connection, String table) throws SQLException {
        int dot = table.lastIndexOf('.');
        if (dot >= 0) {
            return table.substring(0, dot);
        }
        String schema = connection.getSchema(); // null where the driver calls a database a catalog
        return schema != null ? schema : connection.getCatalog();
    }

    private static String unqualified(String table) {
        return table.substring(table.lastIndexOf('.') + 1);
    }

    /** {@inheritDoc} MyISAM, Aria and MEMORY are such engines. */
    @Override
    public void ensureTransactional(Connection connection, String table) throws SQLException {
        Optional<String> engine = sql.sql("unsafe_engine")
                .one(connection, row -> row.getString(1), database(connection, table), unqualified(table));
        if (engine.isPresent()) {
            throw new IllegalArgumentException("table " + table + " has the engine " + engine.get()
                    + ", which has no transactions: a write that is rolled back would stay without its fence, and a stale one"
                    + " could follow it; give it another one: ALTER TABLE " + table + " ENGINE = InnoDB");
        }
    }

    private static TextComparison comparison(String type, @Nullable String collation) {
        if (collation == null || !collation.endsWith("_bin") || type.equals("enum") || type.equals("set")) {
            return TextComparison.LOOSE;
        }
        boolean countsSpaces = collation.contains("nopad") || collation.contains("0900");
        return countsSpaces && !type.equals("char") ? TextComparison.EXACT : TextComparison.PADDED;
    }

    @Override
    public String quoted(String identifier) {
        return SqlNames.quoted(identifier, '`');
    }

    @Override
    public List<String> statements(String script) {
        return new ScriptStatements(script).statements();
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return MariaDbTables.FOUND.problems(connection, script);
    }

    /** {@inheritDoc} MariaDB's driver does where its URL names a way to fail over and says {@code transactionReplay}. */
    @Override
    public void ensureFit(Connection connection) throws SQLException {
        if (REPLAYING.matcher(String.valueOf(connection.getMetaData().getURL())).find()) {
            throw new IllegalArgumentException(product
                    + ": transactionReplay=true repeats a lost transaction on another connection, and would write there"
                    + " though the fence refuses it by now; leave it out of the URL for guards");
        }
    }

    /** {@inheritDoc} A savepoint goes with its transaction: with the rollback of a deadlock, and with the commit of a DDL statement. */
    @Override
    public TransactionCheck watch(Connection connection) throws SQLException {
        Savepoint fenced = connection.setSavepoint("fenceline_fenced");
        return () -> {
            try {
                connection.releaseSavepoint(fenced);
            } catch (SQLException e) {
                if (e.getErrorCode() == NO_SUCH_SAVEPOINT) {
                    throw TransactionCheck.ended(product, connection, e);
                }
                throw e;
            }
        };
    }
}
