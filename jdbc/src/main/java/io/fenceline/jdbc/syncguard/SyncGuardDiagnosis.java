package io.fenceline.jdbc.syncguard;

import io.fenceline.jdbc.product.CommonFindings;
import io.fenceline.jdbc.product.Database;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Examines the server as the product's own examination does, and SyncGuard's tables in place of ours. */
final class SyncGuardDiagnosis implements SelfDiagnosis {

    /** What the product's examination says of its own tables and functions. */
    private static final Set<String> OF_OUR_TABLES = Set.of("privileges", "schema", "functions");

    private static final Sql PRIVILEGES = SyncGuardLocks.SQL.sql("privileges");

    private final SelfDiagnosis product;
    private final Database database;
    private final SchemaControl schema;
    private final SyncGuardTables tables;

    SyncGuardDiagnosis(SelfDiagnosis product, Database database, SchemaControl schema, SyncGuardTables tables) {
        this.product = product;
        this.database = database;
        this.schema = schema;
        this.tables = tables;
    }

    @Override
    public List<Finding> diagnose() {
        List<Finding> findings = new ArrayList<>(product.diagnose());
        findings.removeIf(finding -> OF_OUR_TABLES.contains(finding.subject()));
        findings.add(CommonFindings.privileges(database.read(connection -> PRIVILEGES.all(
                connection,
                row -> row.getString(1),
                tables.table().name(),
                tables.fences().name()))));
        findings.add(CommonFindings.schema(schema, "SyncGuard's tables"));
        return findings;
    }
}
