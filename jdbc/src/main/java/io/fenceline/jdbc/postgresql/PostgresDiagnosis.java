package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.CommonFindings;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Examines a server's settings as the role that locks sees them, its tables, and its clock. */
final class PostgresDiagnosis implements SelfDiagnosis {

    private static final int OLDEST_VERSION = 130000;
    private static final Sql SETTINGS = PostgresLocks.SQL.sql("settings");
    private static final Sql PLACE = PostgresLocks.SQL.sql("place");
    private static final Sql PRIVILEGES = PostgresLocks.SQL.sql("privileges");
    private static final Sql UNLOGGED = PostgresLocks.SQL.sql("unlogged");
    private static final Sql INTERFERENCE = PostgresLocks.SQL.sql("interference");

    private final LockStore store;
    private final SchemaControl schema;
    private final SchemaFunctions functions;

    PostgresDiagnosis(LockStore store, SchemaControl schema) {
        this.store = store;
        this.schema = schema;
        this.functions = SchemaFunctions.beside(store.table());
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
            settings.add(CommonFindings.clock(server, before, Instant.now()));
            settings.add(place(connection));
            settings.add(CommonFindings.privileges(PRIVILEGES.all(
                    connection,
                    row -> row.getString(1),
                    store.table().name(),
                    store.table().in("fenceline_lock_audit"),
                    FenceTable.beside(store.table().name()).name(),
                    FenceTable.beside(store.table().name()).in("fenceline_fences_audit"))));
            settings.add(unlogged(named(UNLOGGED, connection)));
            settings.add(interference(named(INTERFERENCE, connection)));
            settings.add(functions(connection));
            return settings;
        });
        findings.add(CommonFindings.schema(schema, "as this version makes it"));
        return findings;
    }

    /** Runs a query about the tables of locks and of fences. */
    private List<String> named(Sql query, Connection connection) throws SQLException {
        return query.all(
                connection,
                row -> row.getString(1),
                store.table().name(),
                FenceTable.beside(store.table().name()).name());
    }

    private static Finding unlogged(List<String> tables) {
        return tables.isEmpty()
                ? Finding.ok("logging", "the tables are logged")
                : new Finding(
                        "logging",
                        Severity.PROBLEM,
                        "UNLOGGED, so that a crash of the server empties them, and tokens begin again: "
                                + String.join(", ", tables),
                        "ALTER TABLE … SET LOGGED");
    }

    private static Finding interference(List<String> found) {
        return found.isEmpty()
                ? Finding.ok("triggers", "none that changes what is written")
                : new Finding(
                        "triggers",
                        Severity.WARNING,
                        "may change or swallow writes, so that locks are refused, or seem to be held: "
                                + String.join(", ", found),
                        "remove what is not needed, or make sure that it changes nothing");
    }

    private Finding functions(Connection connection) throws SQLException {
        List<SchemaFunctions.Found> found = functions.find(connection);
        String changed = names(found, function -> function.isThere() && !function.isOurs());
        if (!changed.isEmpty()) {
            return new Finding(
                    "functions",
                    Severity.PROBLEM,
                    "called, and not as Fenceline makes them: " + changed,
                    "have their owner run the output of 'fenceline schema print'");
        }
        String missing = names(found, function -> !function.isThere());
        if (!missing.isEmpty()) {
            return new Finding(
                    "functions",
                    Severity.WARNING,
                    "missing, as in version 1 of the schema, so that locking takes the server more work: " + missing,
                    "run 'fenceline schema install', or have a role that may create functions run the output of 'fenceline"
                            + " schema print'");
        }
        String refused = names(found, function -> !function.isAllowed());
        return refused.isEmpty()
                ? Finding.ok("functions", "those of version 2 of the schema")
                : new Finding(
                        "functions",
                        Severity.WARNING,
                        "not to be executed by this role, so that locking takes the server more work: " + refused,
                        "grant EXECUTE on them to the role that locks");
    }

    private static String names(List<SchemaFunctions.Found> found, Predicate<SchemaFunctions.Found> which) {
        return found.stream()
                .filter(which)
                .map(SchemaFunctions.Found::name)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private Finding place(Connection connection) throws SQLException {
        String table = store.table().name();
        return table.contains(".")
                ? Finding.ok("search_path", "not used: the URI names the schema")
                : PLACE.one(connection, row -> place(row, "name the schema for all: ?table=SCHEMA." + table), table)
                        .orElseThrow();
    }

    private static Finding place(ResultSet row, String remedy) throws SQLException {
        String schema = row.getString("schema");
        String others = row.getString("others");
        if (schema == null) {
            return new Finding(
                    "search_path",
                    Severity.WARNING,
                    "names no schema that exists, so that no tables are found or made",
                    remedy);
        }
        String used = "this role uses the tables in schema " + schema
                + (others == null
                        ? ""
                        : ", and there are others in " + others + ": whoever uses these has locks of its own");
        if (!row.getBoolean("differs_between_roles") || (others == null && !row.getBoolean("is_own"))) {
            return Finding.ok("search_path", used);
        }
        return new Finding(
                "search_path",
                Severity.WARNING,
                others == null ? used + ", which has its name: other roles do not look there" : used,
                remedy);
    }

    private static List<Finding> settings(ResultSet row) throws SQLException {
        return List.of(
                version(row.getString("version"), row.getInt("number")),
                writable(row.getBoolean("standby"), row.getString("read_only")),
                synchronousCommit(row.getString("synchronous_commit")),
                mustBeOn(row, "fsync", "a power failure can lose granted leases and tokens"),
                mustBeOn(row, "full_page_writes", "a power failure can damage the table"),
                standbys(row.getString("standbys"), row.getInt("replicas")),
                encoding(row.getString("encoding")),
                Finding.ok("isolation", "default is " + row.getString("isolation")),
                CommonFindings.connections(row.getInt("connections"), row.getInt("max_connections")));
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
                        "off: a crash of the server can lose its most recent leases and tokens",
                        "set it on for the role that locks: ALTER ROLE … SET synchronous_commit = on")
                : Finding.ok("synchronous_commit", setting);
    }

    private static Finding encoding(String encoding) {
        return encoding.equals("UTF8") || encoding.equals("SQL_ASCII")
                ? Finding.ok("encoding", encoding)
                : new Finding(
                        "encoding",
                        Severity.WARNING,
                        encoding + ": keys and holders with other characters than its own are refused",
                        "use a database in UTF8, or such names only");
    }

    private static Finding mustBeOn(ResultSet row, String setting, String consequence) throws SQLException {
        return row.getString(setting).equals("on")
                ? Finding.ok(setting, "on")
                : new Finding(setting, Severity.PROBLEM, "off: " + consequence, "set " + setting + " = on");
    }

    private static Finding standbys(String names, int replicas) {
        return !names.isEmpty() && replicas == 0
                ? new Finding(
                        "standbys",
                        Severity.PROBLEM,
                        "commits wait for " + names + ", and no standby is connected: no lock can be granted",
                        "start the standby, or set synchronous_standby_names = ''")
                : Finding.ok(
                        "standbys",
                        names.isEmpty()
                                ? "commits wait for none: a failover can lose the last leases; raise the tokens after one"
                                : "commits wait for " + names);
    }
}
