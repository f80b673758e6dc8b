package io.fenceline.jdbc.mariadb;

import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Examines a server's settings, its tables, and its clock. */
final class MariaDbDiagnosis implements SelfDiagnosis {

    private static final int SPARE_CONNECTIONS = 5;

    /** What a version does not have is not listed. */
    private static final Sql SETTINGS = new Sql("""
            SHOW VARIABLES WHERE variable_name IN ('version', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog',
              'binlog_format', 'read_only', 'transaction_isolation', 'tx_isolation', 'max_connections', 'wsrep_on')""");

    private static final Sql CONNECTIONS = new Sql("SHOW STATUS LIKE 'Threads_connected'");

    private static final Sql CLOCK = new Sql("SELECT " + MariaDbLocks.NOW + " AS now");

    /** Later than the statement's beginning, unless the server was told to take one for the other. */
    private static final Sql CLOCK_RUNS = new Sql("SELECT SLEEP(0.002), SYSDATE(6) > NOW(6)");

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
                    writable(settings.getOrDefault("read_only", "OFF")),
                    flush(settings.getOrDefault("innodb_flush_log_at_trx_commit", "")),
                    binaryLog(settings),
                    cluster(settings.getOrDefault("wsrep_on", "OFF")),
                    Finding.ok(
                            "isolation",
                            "default is "
                                    + settings.getOrDefault(
                                            "transaction_isolation", settings.getOrDefault("tx_isolation", "unknown"))),
                    connections(
                            Integer.parseInt(used), Integer.parseInt(settings.getOrDefault("max_connections", "0"))),
                    running(CLOCK_RUNS.one(connection, row -> row.getBoolean(2)).orElse(false))));
            Instant before = Instant.now();
            Instant server = CLOCK.one(connection, row -> MariaDbLocks.ROWS.time(row, "now"))
                    .orElseThrow();
            found.add(clock(server, before, Instant.now()));
            return found;
        }));
        findings.add(schema());
        return findings;
    }

    private static Map<String, String> pairs(Connection connection, Sql sql) throws SQLException {
        Map<String, String> pairs = new HashMap<>();
        sql.all(connection, row -> {
            pairs.put(row.getString(1).toLowerCase(Locale.ROOT), row.getString(2));
            return true;
        });
        return pairs;
    }

    private static Finding writable(String readOnly) {
        return readOnly.equals("OFF") || readOnly.equals("0")
                ? Finding.ok("writing", "the server is a primary")
                : new Finding("writing", Severity.PROBLEM, "read_only is " + readOnly, "connect to the primary");
    }

    private static Finding flush(String setting) {
        return setting.equals("1") || setting.equals("3")
                ? Finding.ok("innodb_flush_log_at_trx_commit", setting)
                : new Finding(
                        "innodb_flush_log_at_trx_commit",
                        Severity.WARNING,
                        setting + ": " + (setting.equals("0") ? "a crash of the server" : "a power failure")
                                + " takes back leases and tokens of its last second",
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
                        "sync_binlog is " + sync + ": a power failure takes back what the log lacks",
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

    private static Finding connections(int used, int most) {
        String detail = used + " of " + most + " in use";
        return most - used < SPARE_CONNECTIONS
                ? new Finding("connections", Severity.WARNING, detail, "raise max_connections, or use smaller pools")
                : Finding.ok("connections", detail);
    }

    private static Finding running(boolean runs) {
        return runs
                ? Finding.ok("SYSDATE", "is the time at which it is asked")
                : new Finding(
                        "SYSDATE",
                        Severity.PROBLEM,
                        "is the time at which a statement began, so time is not read when a row is locked",
                        "start the server without sysdate-is-now");
    }

    /** Half of the round trip is the most that this can be wrong. Leases go by the server's clock alone. */
    private static Finding clock(Instant server, Instant before, Instant after) {
        Duration doubt = Duration.between(before, after).dividedBy(2);
        Duration skew = Duration.between(before.plus(doubt), server);
        return Finding.ok(
                "clock",
                String.format(
                        Locale.ROOT,
                        "the server's is %+d ms from this machine's, give or take %d ms; leases go by the server's",
                        skew.toMillis(),
                        doubt.toMillis() + 1));
    }

    private Finding schema() {
        List<String> problems = schema.schemaProblems();
        return problems.isEmpty()
                ? Finding.ok("schema", "as this version makes it")
                : new Finding(
                        "schema",
                        Severity.PROBLEM,
                        String.join("; ", problems),
                        "run 'fenceline schema install', or compare with 'fenceline schema print'");
    }
}
