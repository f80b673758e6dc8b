package io.fenceline.jdbc.syncguard;

import io.fenceline.jdbc.dialect.Database;
import io.fenceline.jdbc.dialect.Sql;
import io.fenceline.spi.SelfDiagnosis;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Examines the server as the product's own examination does, and SyncGuard's tables in place of ours. */
final class SyncGuardDiagnosis implements SelfDiagnosis {

    /** What the product's examination says of its own tables. */
    private static final Set<String> OF_OUR_TABLES = Set.of("privileges", "schema");

    private static final Sql PRIVILEGES = new Sql("""
            SELECT needed.privilege || ' on ' || needed.relation
              FROM (VALUES (?1, 'SELECT'), (?1, 'INSERT'), (?1, 'UPDATE'), (?1, 'DELETE'),
                           (?2, 'SELECT'), (?2, 'INSERT'), (?2, 'UPDATE')) AS needed (relation, privilege)
             WHERE to_regclass(needed.relation) IS NOT NULL
               AND NOT has_table_privilege(to_regclass(needed.relation), needed.privilege)""");

    private final SelfDiagnosis product;
    private final Database database;
    private final SyncGuardTables tables;

    SyncGuardDiagnosis(SelfDiagnosis product, Database database, SyncGuardTables tables) {
        this.product = product;
        this.database = database;
        this.tables = tables;
    }

    @Override
    public List<Finding> diagnose() {
        List<Finding> findings = new ArrayList<>(product.diagnose());
        findings.removeIf(finding -> OF_OUR_TABLES.contains(finding.subject()));
        findings.add(privileges());
        findings.add(schema());
        return findings;
    }

    private Finding privileges() {
        List<String> missing = database.read(connection -> PRIVILEGES.all(
                connection,
                row -> row.getString(1),
                tables.table().name(),
                tables.fences().name()));
        return missing.isEmpty()
                ? Finding.ok("privileges", "as needed")
                : new Finding(
                        "privileges",
                        Severity.PROBLEM,
                        "missing: " + String.join(", ", missing),
                        "grant them to the role that locks");
    }

    private Finding schema() {
        List<String> problems = new SyncGuardSchema(database, tables).schemaProblems();
        return problems.isEmpty()
                ? Finding.ok("schema", "SyncGuard's tables")
                : new Finding(
                        "schema",
                        Severity.PROBLEM,
                        String.join("; ", problems),
                        "run 'fenceline schema install', or compare with 'fenceline schema print'");
    }
}
