package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.jdbc.guard.FenceTable;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Examines a server's settings as the role that locks sees them, its tables, and its clock. */
final class PostgresDiagnosis implements SelfDiagnosis {

    private static final int OLDEST_VERSION = 130000;
    private static final int SPARE_CONNECTIONS = 5;

    private static final Sql SETTINGS = new Sql("""
            SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
                   current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
                   current_setting('synchronous_commit') AS synchronous_commit,
                   current_setting('synchronous_standby_names') AS standbys,
                   current_setting('default_transaction_isolation') AS isolation,
                   current_setting('default_transaction_read_only') AS read_only, pg_is_in_recovery() AS standby,
                   current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                     AS max_connections,
                   (SELECT count(*) FROM pg_stat_activity WHERE backend_type IN ('client backend', 'walsender'))
                     AS connections,
                   clock_timestamp() AS now""");

    private static final Sql PRIVILEGES = new Sql("""
            SELECT needed.privilege || ' on ' || needed.relation
              FROM (VALUES (?1, 'SELECT'), (?1, 'INSERT'), (?1, 'UPDATE'), (?2, 'INSERT'),
                           (?3, 'SELECT'), (?3, 'INSERT'), (?3, 'UPDATE'), (?4, 'INSERT')) AS needed (relation, privilege)
             WHERE to_regclass(needed.relation) IS NOT NULL
               AND NOT has_table_privilege(to_regclass(needed.relation), needed.privilege)""");

    private final LockStore store;
    private final SchemaControl schema;

    PostgresDiagnosis(LockStore store, SchemaControl schema) {
        this.store = store;
        this.schema = schema;
    }

    @Override
    public List<Finding> diagnose() {
        List<Finding> findings = store.database().read(connection -> {
            Instant before = Instant.now();
            List<Finding> settings = new ArrayList<>();
            Instant server = SETTINGS.one(connection, row -> {
                        settings.addAll(settings(row));
                        return PostgresLocks.ROWS.time(row, "now");
                    })
                    .orElseThrow();
            settings.add(clock(server, before, Instant.now()));
            settings.add(privileges(PRIVILEGES.all(
                    connection,
                    row -> row.getString(1),
                    store.table().name(),
                    store.table().in("fenceline_lock_audit"),
                    FenceTable.beside(store.table().name()).name(),
                    FenceTable.beside(store.table().name()).in("fenceline_fences_audit"))));
            return settings;
        });
        findings.add(schema());
        return findings;
    }

    private static List<Finding> settings(ResultSet row) throws SQLException {
        return List.of(
                version(row.getString("version"), row.getInt("number")),
                writable(row.getBoolean("standby"), row.getString("read_only")),
                synchronousCommit(row.getString("synchronous_commit")),
                mustBeOn(row, "fsync", "a power failure takes granted leases and tokens back"),
                mustBeOn(row, "full_page_writes", "a power failure can damage the table"),
                standbys(row.getString("standbys")),
                Finding.ok("isolation", "default is " + row.getString("isolation")),
                connections(row.getInt("connections"), row.getInt("max_connections")));
    }

    private static Finding version(String version, int number) {
        return number >= OLDEST_VERSION
                ? Finding.ok("version", "PostgreSQL " + version)
                : new Finding("version", Severity.PROBLEM, "PostgreSQL " + version, "use PostgreSQL 13 or later");
    }

    private static Finding writable(boolean standby, String readOnly) {
        if (standby) {
            return new Finding(
                    "writing",
                    Severity.PROBLEM,
                    "the server is a standby",
                    "connect to the primary; with several hosts in the URI this is done by targetServerType=primary");
        }
        return readOnly.equals("off")
                ? Finding.ok("writing", "the server is a primary")
                : new Finding(
                        "writing",
                        Severity.PROBLEM,
                        "default_transaction_read_only is on",
                        "set it off for this role or database");
    }

    private static Finding synchronousCommit(String setting) {
        return setting.equals("off")
                ? new Finding(
                        "synchronous_commit",
                        Severity.PROBLEM,
                        "off: a crash of the server takes back leases and tokens of its last moments",
                        "set it on for the role that locks: ALTER ROLE … SET synchronous_commit = on")
                : Finding.ok("synchronous_commit", setting);
    }

    private static Finding mustBeOn(ResultSet row, String setting, String consequence) throws SQLException {
        return row.getString(setting).equals("on")
                ? Finding.ok(setting, "on")
                : new Finding(setting, Severity.PROBLEM, "off: " + consequence, "set " + setting + " = on");
    }

    private static Finding standbys(String names) {
        return Finding.ok(
                "standbys",
                names.isEmpty()
                        ? "none is waited for: a fail-over can take back the last leases; then raise the tokens"
                        : "commits wait for " + names);
    }

    private static Finding connections(int used, int most) {
        String detail = used + " of " + most + " in use";
        return most - used < SPARE_CONNECTIONS
                ? new Finding("connections", Severity.WARNING, detail, "raise max_connections, or use smaller pools")
                : Finding.ok("connections", detail);
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

    private static Finding privileges(List<String> missing) {
        return missing.isEmpty()
                ? Finding.ok("privileges", "as needed")
                : new Finding(
                        "privileges",
                        Severity.PROBLEM,
                        "missing: " + String.join(", ", missing),
                        "grant them to the role that locks");
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
