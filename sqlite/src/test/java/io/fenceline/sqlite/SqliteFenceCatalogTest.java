package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.FenceCatalogContract;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class SqliteFenceCatalogTest extends FenceCatalogContract {

    @TempDir
    Path folder;

    @Override
    protected LockBackend open() {
        return SqliteLockBackend.open(folder.resolve("locks.db"), SqliteOptions.defaults());
    }

    @Override
    protected void write(String resource, FenceStamp stamp) throws SQLException {
        backend().ability(SchemaControl.class).orElseThrow().installSchema();
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + folder.resolve("locks.db"));
        JdbcFenceGuard.on(source).write(resource, stamp, connection -> {});
    }

    @Override
    protected List<String> audit() throws SQLException {
        List<String> records = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        SELECT actor || ' ' || act || ' ' || resource || ' ' || key_before || '>' || key_after
                               || ' ' || highest_before || '>' || highest_after
                          FROM fenceline_fences_audit ORDER BY at, highest_after""")) {
            while (rows.next()) {
                records.add(rows.getString(1));
            }
        }
        return records;
    }

    @Test
    void isMadeInAStoreThatHasNoneYet() throws SQLException {
        backend().ability(SchemaControl.class).orElseThrow().installSchema();
        backend().close();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP TABLE fenceline_fences; DROP TABLE fenceline_fences_audit");
        }

        try (LockBackend opened = open()) {
            FenceCatalog fences = opened.ability(FenceCatalog.class).orElseThrow();
            assertThat(fences.list("", 10)).isEmpty();
            fences.guard().claim("invoice:42", stamp("lock", 34));
            assertThat(opened.ability(SchemaControl.class).orElseThrow().schemaProblems())
                    .isEmpty();
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("locks.db"));
    }
}
