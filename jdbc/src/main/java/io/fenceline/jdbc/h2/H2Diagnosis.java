package io.fenceline.jdbc.h2;

import io.fenceline.jdbc.product.CommonFindings;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Examines a database's settings and tables. */
final class H2Diagnosis implements SelfDiagnosis {

    private static final List<Finding> NOT_MADE_YET =
            List.of(Finding.ok("store", "there is no database yet; the first lock makes it"));

    private final LockStore store;
    private final SchemaControl schema;
    private final Sql settings;

    H2Diagnosis(LockStore store, SchemaControl schema, Sql settings) {
        this.store = store;
        this.schema = schema;
        this.settings = settings;
    }

    @Override
    public List<Finding> diagnose() {
        Optional<List<Finding>> ofSettings = store.database()
                .read(connection -> settings.one(connection, H2Diagnosis::settings), Optional.of(NOT_MADE_YET));
        if (ofSettings.equals(Optional.of(NOT_MADE_YET))) {
            return NOT_MADE_YET;
        }
        List<Finding> findings = new ArrayList<>(ofSettings.orElse(List.of()));
        findings.add(CommonFindings.schema(schema, "as this version makes it"));
        return findings;
    }

    private static List<Finding> settings(ResultSet row) throws SQLException {
        return List.of(Finding.ok("version", "H2 " + row.getString("version")), durability(row));
    }

    private static Finding durability(ResultSet row) throws SQLException {
        if (row.getString("path") == null) {
            return new Finding(
                    "durability",
                    Severity.WARNING,
                    "the database is in memory: leases and tokens end with its process",
                    "name a file, or use it for tests only");
        }
        String delay = String.valueOf(row.getString("delay"));
        if (!delay.equals("0")) {
            return new Finding(
                    "durability",
                    Severity.PROBLEM,
                    "WRITE_DELAY is " + delay + " ms: killing the process can lose acknowledged leases and tokens",
                    "open the database with WRITE_DELAY=0, or run SET WRITE_DELAY 0");
        }
        return new Finding(
                "durability",
                Severity.WARNING,
                "H2 does not wait for the disk: a power failure can lose the most recent leases and tokens",
                "raise the tokens after one with 'fenceline token bump', or use SQLite or a server");
    }
}
