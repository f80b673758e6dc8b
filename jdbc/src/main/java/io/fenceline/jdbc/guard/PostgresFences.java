package io.fenceline.jdbc.guard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.dialect.Dialect;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.postgresql.PostgresDialect;
import io.fenceline.jdbc.postgresql.PostgresTables;
import io.fenceline.jdbc.trigger.SessionStamp;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Fences on PostgreSQL. */
final class PostgresFences extends UpsertDialect {

    static final FenceDialect DIALECT = new PostgresFences();

    /** Serialisation failure, deadlock. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    private static final String FAILED_TRANSACTION = "25P02";

    /** The transaction's id, which it has since the fence was written. */
    private static final Sql TRANSACTION = new Sql("SELECT pg_current_xact_id_if_assigned()::text");

    private static final Sql COMPARISON = new Sql("""
            WITH RECURSIVE type (id) AS (
              SELECT atttypid FROM pg_attribute WHERE attrelid = to_regclass(?1) AND attname = ?2
              UNION
              SELECT typbasetype FROM type JOIN pg_type ON oid = id WHERE typbasetype <> 0)
            SELECT CASE WHEN base.typname = 'citext' OR NOT coalesce(coll.collisdeterministic, true) THEN 'LOOSE'
                        WHEN base.typname = 'bpchar' THEN 'PADDED'
                        ELSE 'EXACT' END
              FROM pg_attribute AS attribute
              JOIN pg_type AS base ON base.oid IN (SELECT id FROM type) AND base.typbasetype = 0
              LEFT JOIN pg_collation AS coll ON coll.oid = attribute.attcollation
             WHERE attribute.attrelid = to_regclass(?1) AND attribute.attname = ?2""");

    private static final Sql ALONE = new Sql("SELECT pg_advisory_xact_lock(hashtextextended('fenceline schema', 0))");

    /**
     * The time. As a side effect it limits how long the transaction may be idle, unless a limit is set: a process that is stopped in
     * the middle of a transaction would otherwise lock all later holders out of the fence's row for as long as it is stopped.
     */
    private static final String NOW = """
            CASE WHEN current_setting('idle_in_transaction_session_timeout') <> '0'
                   OR set_config('idle_in_transaction_session_timeout', '10s', true) IS NOT NULL
                 THEN clock_timestamp()
            END""";

    private final Dialect locks = new PostgresDialect();

    private PostgresFences() {
        // The write also shows the stamp to triggers, since a table may have both: one round trip instead of two.
        super(NOW, "CASE WHEN " + SessionStamp.postgresql("?3", "?2") + " IS NOT NULL THEN " + NOW + " END");
    }

    @Override
    public String product() {
        return locks.product();
    }

    @Override
    public String script(String part) {
        return GuardScript.text("postgresql", part);
    }

    @Override
    public void aloneWithSchema(Connection connection) throws SQLException {
        ALONE.all(connection, row -> true);
    }

    @Override
    public List<String> problems(Connection connection, String script) throws SQLException {
        return PostgresTables.problems(connection, script);
    }

    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return locks.isInTransaction(connection);
    }

    /** {@inheritDoc} A failed transaction answers with an error, and one that began later has another id or none. */
    @Override
    public Unbroken watch(Connection connection) throws SQLException {
        return BrokenTransaction.watch("PostgreSQL", connection, TRANSACTION);
    }

    @Override
    public TextComparison comparison(Connection connection, String table, String column) throws SQLException {
        String quoted = Arrays.stream(table.split("\\.", -1)).map(this::quoted).collect(Collectors.joining("."));
        return COMPARISON
                .one(connection, row -> TextComparison.valueOf(row.getString(1)), quoted, column)
                .orElse(TextComparison.EXACT);
    }

    @Override
    public boolean isConflict(SQLException e) {
        return e.getSQLState() != null && CONFLICTS.contains(e.getSQLState());
    }

    @Override
    public BackendException failed(SQLException e, Effect unclear) {
        if (FAILED_TRANSACTION.equals(e.getSQLState())) {
            return new BackendException(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "PostgreSQL: a statement of the transaction had failed and its error was not passed on: "
                            + e.getMessage(),
                    e);
        }
        return locks.errors().failed(e, unclear);
    }

    @Override
    public BackendException unreachable(SQLException e) {
        return locks.errors().unreachable(e);
    }
}
