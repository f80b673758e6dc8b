package io.fenceline.jdbc.guard;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.ScriptTables;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.mariadb.MariaDbDialect;
import io.fenceline.jdbc.mariadb.MariaDbTables;
import io.fenceline.jdbc.mariadb.SchemaScript;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Set;
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
final class MariaDbFences extends ByteNameDialect {

    static final FenceDialect MARIADB = new MariaDbFences(MariaDbDialect.mariaDb());
    static final FenceDialect MYSQL = new MariaDbFences(MariaDbDialect.mySql());

    private static final int DUPLICATE_KEY = 1062;
    private static final int NO_SUCH_SAVEPOINT = 1305;

    /** Deadlock; row changed since the transaction first looked, with innodb_snapshot_isolation. */
    private static final Set<Integer> CONFLICTS = Set.of(1213, 1020);

    /** In microseconds since 1970, in UTC. For people; decides nothing. */
    private static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

    /** Assignments are made from left to right. What is left of {@code written} keeps the condition as it is. */
    private static final String ENTER = """
            INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
            VALUES (?1, ?2, ?3, 0, %2$s)
            ON DUPLICATE KEY UPDATE
                updated_at = IF(%1$s, GREATEST(updated_at + 1, %2$s), updated_at),
                highest = IF(%1$s, ?3, highest),
                written = IF(%1$s, %3$s, written)""";

    private static final String RAISE = """
            UPDATE fenceline_fences
               SET updated_at = GREATEST(updated_at + 1, %2$s), highest = ?3, written = %3$s
             WHERE resource = ?1 AND %1$s""";

    private static final String ADMITTED = "lock_key = ?2 AND highest <= ?3";
    private static final String ADMITTED_ONCE = ADMITTED + " AND written < ?3";

    /** The session keeps the number, for the query that follows. */
    private static final String COUNT = """
            INSERT INTO fenceline_fences_clock (name, last_number) VALUES (?1, LAST_INSERT_ID(1))
            ON DUPLICATE KEY UPDATE
                last_number = IF(last_number < ?2, LAST_INSERT_ID(last_number + 1), last_number + LAST_INSERT_ID(0))""";

    private static final String COUNTED = "SELECT LAST_INSERT_ID() FROM DUAL WHERE LAST_INSERT_ID() > 0";

    private static final String RAISE_CLOCK = """
            INSERT INTO fenceline_fences_clock (name, last_number) VALUES (?1, ?2)
            ON DUPLICATE KEY UPDATE last_number = GREATEST(last_number, ?2)""";

    private static final Sql COLLATION = new Sql("""
            SELECT data_type, collation_name FROM information_schema.columns
             WHERE table_schema = ?1 AND table_name = ?2 AND column_name = ?3""");

    /** As the driver writes its URL, properties included. It repeats nothing where the URL names no way to fail over. */
    private static final Pattern REPLAYING = Pattern.compile("^jdbc:\\w+:[\\w-]+://.*[?&]transactionReplay=true");

    private MariaDbFences(Dialect locks) {
        super(locks, DUPLICATE_KEY, CONFLICTS);
    }

    @Override
    public List<Step> write(FenceRule rule) {
        return entering(rule == FenceRule.ONCE ? ADMITTED_ONCE : ADMITTED, "?3");
    }

    @Override
    public List<Step> claim() {
        return entering(ADMITTED, "written");
    }

    private static List<Step> entering(String admitted, String written) {
        return List.of(
                new Step(ENTER.formatted(admitted, NOW, written), 2),
                new Step(RAISE.formatted(admitted, NOW, written), 1));
    }

    @Override
    public List<String> nextNumber() {
        return List.of(COUNT, COUNTED);
    }

    @Override
    public List<Step> raiseClock() {
        return List.of(Step.one(RAISE_CLOCK));
    }

    @Override
    public String now() {
        return NOW;
    }

    /** {@inheritDoc} CHAR drops spaces at the end, and only collations without padding count them. */
    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        int dot = table.lastIndexOf('.');
        return COLLATION
                .one(
                        connection,
                        row -> comparison(row.getString(1), row.getString(2)),
                        dot < 0 ? connection.getCatalog() : table.substring(0, dot),
                        table.substring(dot + 1),
                        column)
                .orElse(TextComparison.LOOSE);
    }

    private static TextComparison comparison(String type, @Nullable String collation) {
        if (collation == null || !collation.endsWith("_bin")) {
            return TextComparison.LOOSE;
        }
        boolean countsSpaces = collation.contains("nopad") || collation.contains("0900");
        return countsSpaces && !type.equals("char") ? TextComparison.EXACT : TextComparison.PADDED;
    }

    @Override
    public String quoted(String identifier) {
        return QuotedName.of(identifier, '`', '`');
    }

    @Override
    public String script(String part) {
        return GuardScript.text("mariadb", part);
    }

    @Override
    public List<String> statements(String script) {
        return new SchemaScript(script).statements();
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return MariaDbTables.problems(connection, ScriptTables.of(script));
    }

    /** {@inheritDoc} MariaDB's driver does where its URL names a way to fail over and says {@code transactionReplay}. */
    @Override
    public void ensureFit(Connection connection) throws SQLException {
        if (REPLAYING.matcher(String.valueOf(connection.getMetaData().getURL())).find()) {
            throw new IllegalArgumentException(product()
                    + ": transactionReplay=true repeats a lost transaction on another connection, and would write there"
                    + " though the fence refuses it by now; leave it out of the URL for guards");
        }
    }

    /** {@inheritDoc} A savepoint goes with its transaction: with the rollback of a deadlock, and with the commit of a DDL statement. */
    @Override
    public Unbroken watch(Connection connection) throws SQLException {
        Savepoint fenced = connection.setSavepoint("fenceline_fenced");
        return () -> {
            try {
                connection.releaseSavepoint(fenced);
            } catch (SQLException e) {
                if (e.getErrorCode() == NO_SUCH_SAVEPOINT) {
                    throw BrokenTransaction.error(product(), connection, e);
                }
                throw e;
            }
        };
    }
}
