package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.product.CommonFindings;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Examines a server's settings, its tables, and its clock. */
final class MariaDbDiagnosis implements SelfDiagnosis {

    private static final Sql SETTINGS = MariaDbLocks.SQL.sql("settings");
    private static final Sql CONNECTIONS = MariaDbLocks.SQL.sql("connections");
    private static final Sql CLOCK = MariaDbLocks.SQL.sql("clock");
    private static final Sql CLOCK_RUNS = MariaDbLocks.SQL.sql("clock_runs");

    private static final String INSERTION = "EXPLAIN INSERT INTO %1$s (lock_key) SELECT lock_key FROM %1$s WHERE FALSE";
    private static final String UPDATE = "EXPLAIN UPDATE %1$s SET lock_key = lock_key WHERE FALSE";
    private static final int COMMAND_DENIED = 1142;

    private final LockStore store;
    private final SchemaControl schema;
    private final String product;

    MariaDbDiagnosis(LockStore store, SchemaControl schema, String product) {
        this.store = store;
        this.schema = schema;
        this.product = product;
    }

    @Override
    public List<Finding> diagnose() {
        List<Finding> findings = new ArrayList<>(store.database().read(connection -> {
            Map<String, String> settings = pairs(connection, SETTINGS);
            String used = pairs(connection, CONNECTIONS).getOrDefault("threads_connected", "0");
            List<Finding> found = new ArrayList<>(List.of(
                    Finding.ok("version", product + " " + settings.getOrDefault("version", "")),
                    writable(settings),
                    flush(settings.getOrDefault("innodb_flush_log_at_trx_commit", "")),
                    binaryLog(settings),
                    cluster(settings.getOrDefault("wsrep_on", "OFF")),
                    Finding.ok(
                            "isolation",
                            "default is "
                                    + settings.getOrDefault(
                                            "transaction_isolation", settings.getOrDefault("tx_isolation", "unknown"))),
                    CommonFindings.connections(
                            Integer.parseInt(used), Integer.parseInt(settings.getOrDefault("max_connections", "0"))),
                    running(CLOCK_RUNS.one(connection, row -> row.getBoolean(2)).orElse(false))));
            Instant before = Instant.now();
            Instant server = CLOCK.one(connection, row -> MariaDbLocks.ROWS.time(row, "now"))
                    .orElseThrow();
            found.add(CommonFindings.clock(server, before, Instant.now()));
            found.add(CommonFindings.privileges(missingPrivileges(connection)));
            return found;
        }));
        findings.add(CommonFindings.schema(schema, "as this version makes it"));
        return findings;
    }

    /** Asks for plans, which need the privileges of what they are of, and change nothing. That the tables are there is the schema's matter. */
    private List<String> missingPrivileges(Connection connection) {
        List<String> missing = new ArrayList<>();
        for (String name : List.of("fenceline_lock", "fenceline_lock_audit", "fenceline_lock_waiter")) {
            String table = store.table().in(name);
            if (isDenied(connection, INSERTION.formatted(table))) {
                missing.add("INSERT on " + table);
            }
            if (!name.endsWith("_audit") && isDenied(connection, UPDATE.formatted(table))) {
                missing.add("UPDATE on " + table);
            }
        }
        return missing;
    }

    private static boolean isDenied(Connection connection, String plan) {
        try {
            new Sql(plan).all(connection, row -> true);
            return false;
        } catch (SQLException e) {
            return e.getErrorCode() == COMMAND_DENIED;
        }
    }

    private static Map<String, String> pairs(Connection connection, Sql sql) throws SQLException {
        Map<String, String> pairs = new HashMap<>();
        sql.all(connection, row -> {
            pairs.put(row.getString(1).toLowerCase(Locale.ROOT), row.getString(2));
            return true;
        });
        return pairs;
    }

    private static Finding writable(Map<String, String> settings) {
        for (String session : List.of("transaction_read_only", "tx_read_only")) {
            if (isOn(settings.get(session))) {
                return new Finding(
                        "writing", Severity.PROBLEM, session + " is on", "set it off for this user or server");
            }
        }
        String readOnly = settings.getOrDefault("read_only", "OFF");
        return readOnly.equals("OFF") || readOnly.equals("0")
                ? Finding.ok("writing", "the server is a primary")
                : new Finding("writing", Severity.PROBLEM, "read_only is " + readOnly, "connect to the primary");
    }

    private static boolean isOn(@Nullable String setting) {
        return "ON".equals(setting) || "1".equals(setting);
    }

    private static Finding flush(String setting) {
        return setting.equals("1") || setting.equals("3")
                ? Finding.ok("innodb_flush_log_at_trx_commit", setting)
                : new Finding(
                        "innodb_flush_log_at_trx_commit",
                        Severity.WARNING,
                        setting + ": " + (setting.equals("0") ? "a crash of the server" : "a power failure")
                                + " can lose leases and tokens of the last second",
                        "set innodb_flush_log_at_trx_commit = 1");
    }

    private static Finding binaryLog(Map<String, String> settings) {
        String sync = settings.getOrDefault("sync_binlog", "");
        if (!settings.getOrDefault("log_bin", "OFF").equals("ON")) {
            return Finding.ok("binary log", "off: no replica follows this server");
        }
        if (settings.getOrDefault("binlog_format", "ROW").equals("STATEMENT")) {
            return new Finding(
                    "binary log",
                    Severity.PROBLEM,
                    "binlog_format is STATEMENT: replicas would read their own clocks",
                    "set binlog_format = ROW");
        }
        return sync.equals("1")
                ? Finding.ok("binary log", "sync_binlog is 1; a replica may lack the last moment when it takes over")
                : new Finding(
                        "binary log",
                        Severity.WARNING,
                        "sync_binlog is " + sync + ": a power failure can lose what the log lacks",
                        "set sync_binlog = 1");
    }

    private static Finding cluster(String wsrep) {
        return wsrep.equals("OFF") || wsrep.equals("0")
                ? Finding.ok("cluster", "none")
                : new Finding(
                        "cluster",
                        Severity.WARNING,
                        "Galera: nodes learn of one another's grants late, and conflicts end as ABORTED",
                        "let all clients lock on one node");
    }

    private static Finding running(boolean runs) {
        return runs
                ? Finding.ok("SYSDATE", "returns the current time")
                : new Finding(
                        "SYSDATE",
                        Severity.PROBLEM,
                        "returns the time at which the statement began, not the time after a row is locked",
                        "start the server without sysdate-is-now");
    }
}
