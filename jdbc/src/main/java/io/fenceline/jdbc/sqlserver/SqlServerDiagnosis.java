package io.fenceline.jdbc.sqlserver;

import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Examines a database's settings and tables; not seen on a server. */
final class SqlServerDiagnosis implements SelfDiagnosis {

    private static final Sql SETTINGS = new Sql("""
            SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(40)) AS version, delayed_durability_desc AS delayed,
                   is_read_only AS read_only
              FROM sys.databases
             WHERE database_id = DB_ID()""");

    private final LockStore store;
    private final SchemaControl schema;

    SqlServerDiagnosis(LockStore store, SchemaControl schema) {
        this.store = store;
        this.schema = schema;
    }

    @Override
    public List<Finding> diagnose() {
        List<Finding> findings = new ArrayList<>(store.database()
                .read(connection -> SETTINGS.one(connection, SqlServerDiagnosis::settings))
                .orElse(List.of()));
        List<String> problems = schema.schemaProblems();
        findings.add(
                problems.isEmpty()
                        ? Finding.ok("schema", "has what this version needs")
                        : new Finding(
                                "schema",
                                Severity.PROBLEM,
                                String.join("; ", problems),
                                "run 'fenceline schema install', or compare with 'fenceline schema print'"));
        return findings;
    }

    private static List<Finding> settings(ResultSet row) throws SQLException {
        return List.of(
                Finding.ok("version", "SQL Server " + row.getString("version")),
                row.getBoolean("read_only")
                        ? new Finding("writing", Severity.PROBLEM, "the database only reads", "connect to the primary")
                        : Finding.ok("writing", "the database can be written"),
                "FORCED".equals(row.getString("delayed"))
                        ? new Finding(
                                "delayed durability",
                                Severity.WARNING,
                                "FORCED: a crash of the server takes back leases and tokens of its last moments",
                                "ALTER DATABASE … SET DELAYED_DURABILITY = ALLOWED")
                        : Finding.ok("delayed durability", String.valueOf(row.getString("delayed"))));
    }
}
