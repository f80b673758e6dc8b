package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.jdbc.sqlite.SqliteLockBackend;
import io.fenceline.jdbc.sqlite.SqliteOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What operators do with the fences of a lock store. */
@Timeout(60)
class FenceCatalogTest {

    private static final Holder ANN = Holder.of("ann");

    /** The same on each store. */
    abstract static class Catalog {

        LockBackend backend;
        FenceCatalog catalog;

        abstract LockBackend open();

        abstract List<String> audit() throws SQLException;

        @BeforeEach
        void openBackend() {
            backend = open();
            catalog = backend.ability(FenceCatalog.class).orElseThrow();
        }

        @AfterEach
        void closeBackend() {
            backend.close();
        }

        @Test
        void guardsAndLists() {
            catalog.guard().claim("invoice:42", stamp("lock", 34));
            catalog.guard().claim("invoice:7", stamp("lock", 3));
            catalog.guard().claim("Other", stamp("lock", 1));

            assertThat(catalog.list("", 10)).containsOnlyKeys("invoice:42", "invoice:7", "Other");
            assertThat(catalog.list("invoice:", 10).keySet()).containsExactly("invoice:42", "invoice:7");
            assertThat(catalog.list("", 1).keySet()).containsExactly("Other");
            assertThat(catalog.list("invoice:4", 10).get("invoice:42"))
                    .isEqualTo(new Fence(LockKey.of("lock"), FencingToken.of(34), 0));
            assertThat(catalog.guard().check("invoice:42", stamp("lock", 33)))
                    .isEqualTo(new Verdict.Stale(FencingToken.of(34)));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> catalog.guard().claim("invoice:42", stamp("lock", 33)));
            assertThat(catalog.guard().highest("invoice:7")).contains(stamp("lock", 3));
            assertThatIllegalArgumentException().isThrownBy(() -> catalog.list("", 0));
        }

        @Test
        void raisesAndLowersNothing() throws SQLException {
            assertThat(catalog.raise("invoice:42", stamp("lock", 34), ANN).highest())
                    .isEqualTo(FencingToken.of(34));
            assertThat(catalog.raise("invoice:42", stamp("lock", 40), ANN).highest())
                    .isEqualTo(FencingToken.of(40));
            assertThat(catalog.raise("invoice:42", stamp("lock", 35), ANN).highest())
                    .isEqualTo(FencingToken.of(40));

            assertThat(catalog.guard().highest("invoice:42")).contains(stamp("lock", 40));
            assertThat(audit())
                    .containsExactly("ann raise invoice:42 >lock 0>34", "ann raise invoice:42 lock>lock 34>40");
        }

        @Test
        void raisesNothingOfAnotherLock() throws SQLException {
            catalog.guard().claim("invoice:42", stamp("lock", 34));

            assertThatExceptionOfType(ForeignTokenException.class)
                    .isThrownBy(() -> catalog.raise("invoice:42", stamp("another", 99), ANN))
                    .satisfies(refusal -> assertThat(refusal.owner()).isEqualTo(LockKey.of("lock")));

            assertThat(catalog.guard().highest("invoice:42")).contains(stamp("lock", 34));
            assertThat(audit()).isEmpty();
        }

        @Test
        void givesAResourceToAnotherLockWhoseTokensMayBeSmaller() throws SQLException {
            catalog.guard().claim("invoice:42", stamp("lock", 34));

            assertThat(catalog.rebind("invoice:42", LockKey.of("wrong"), LockKey.of("new"), ANN))
                    .isFalse();
            assertThat(catalog.rebind("never fenced", LockKey.of("lock"), LockKey.of("new"), ANN))
                    .isFalse();
            assertThat(catalog.rebind("invoice:42", LockKey.of("lock"), LockKey.of("new"), ANN))
                    .isTrue();

            catalog.guard().claim("invoice:42", stamp("new", 1));
            assertThatExceptionOfType(ForeignTokenException.class)
                    .isThrownBy(() -> catalog.guard().claim("invoice:42", stamp("lock", 99)));
            assertThat(audit()).containsExactly("ann rebind invoice:42 lock>new 34>1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> catalog.rebind("invoice:42", LockKey.of("new"), LockKey.of("new"), ANN));
        }

        static List<String> audit(Connection connection, String table) throws SQLException {
            return new Sql(
                            "SELECT actor || ' ' || act || ' ' || resource || ' ' || key_before || '>' || key_after || ' '"
                                    + " || highest_before || '>' || highest_after FROM " + table
                                    + " ORDER BY at, highest_after")
                    .all(connection, row -> row.getString(1));
        }
    }

    @Nested
    class OnPostgres extends Catalog {

        private final PostgresPlace place = new PostgresPlace();

        @AfterEach
        void remove() {
            place.close();
        }

        @Override
        LockBackend open() {
            LockBackend opened =
                    JdbcLockBackend.on(place.source(), JdbcOptions.defaults().withTable(place.in("fenceline_lock")));
            opened.ability(SchemaControl.class).orElseThrow().installSchema();
            return opened;
        }

        @Override
        List<String> audit() throws SQLException {
            try (Connection connection = place.connect()) {
                return audit(connection, place.in("fenceline_fences_audit"));
            }
        }

        @Test
        void keepsFencesFromBeingDeletedAndTellsWhereTheyAreMissing() {
            SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
            catalog.guard().claim("invoice:42", stamp("lock", 34));
            assertThat(schema.schemaProblems()).isEmpty();
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> place.execute("DELETE FROM " + place.in("fenceline_fences")))
                    .havingCause()
                    .withMessageContaining("never deleted");

            place.execute("DROP TABLE " + place.in("fenceline_fences"));
            assertThat(schema.schemaProblems())
                    .containsExactly("table " + place.in("fenceline_fences") + " is missing");
            assertThatExceptionOfType(io.fenceline.BackendException.class)
                    .isThrownBy(() -> catalog.guard().highest("invoice:42"))
                    .withMessageContaining("fenceline schema install");
            schema.installSchema();
            assertThat(schema.schemaProblems()).isEmpty();

            place.execute("ALTER TABLE " + place.in("fenceline_fences") + " ALTER lock_key DROP NOT NULL");
            assertThat(schema.schemaProblems()).singleElement().asString().contains("lock_key");
        }

        @Test
        void isBesideEachTableOfLocks() {
            assertThat(FenceTable.beside("s.fenceline_lock").name()).isEqualTo("s.fenceline_fences");
            assertThat(FenceTable.beside("s.billing").name()).isEqualTo("s.billing_fences");
        }
    }

    @Nested
    class OnSqlite extends Catalog {

        @TempDir
        Path folder;

        @Override
        LockBackend open() {
            return SqliteLockBackend.open(folder.resolve("locks.db"), SqliteOptions.defaults());
        }

        @Override
        List<String> audit() throws SQLException {
            try (Connection connection = connect()) {
                return audit(connection, "fenceline_fences_audit");
            }
        }

        @Test
        void isMadeInAStoreThatHasNoneYet() throws SQLException {
            backend.ability(SchemaControl.class).orElseThrow().installSchema();
            backend.close();
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("DROP TABLE fenceline_fences; DROP TABLE fenceline_fences_audit");
            }

            backend = open();

            FenceCatalog fences = backend.ability(FenceCatalog.class).orElseThrow();
            assertThat(fences.list("", 10)).isEmpty();
            fences.guard().claim("invoice:42", stamp("lock", 34));
            assertThat(backend.ability(SchemaControl.class).orElseThrow().schemaProblems())
                    .isEmpty();
        }

        private Connection connect() throws SQLException {
            return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("locks.db"));
        }
    }

    /** Names are bytes there. */
    abstract static class CatalogOfBytes extends Catalog {

        final GuardPlace place = newPlace();

        abstract GuardPlace newPlace();

        @AfterEach
        void remove() {
            place.close();
        }

        @Override
        LockBackend open() {
            LockBackend opened =
                    JdbcLockBackend.on(place.source(), JdbcOptions.defaults().withTable(place.in("fenceline_lock")));
            opened.ability(SchemaControl.class).orElseThrow().installSchema();
            assertThat(opened.ability(SchemaControl.class).orElseThrow().schemaProblems())
                    .isEmpty();
            return opened;
        }

        @Override
        List<String> audit() throws SQLException {
            try (Connection connection = place.connect()) {
                FenceDialect dialect = Products.of(connection).fences();
                return new Sql("SELECT * FROM " + place.in("fenceline_fences_audit") + " ORDER BY at, highest_after")
                        .all(
                                connection,
                                row -> String.join(
                                        " ",
                                        row.getString("actor"),
                                        row.getString("act"),
                                        dialect.key(row, "resource"),
                                        dialect.key(row, "key_before") + ">" + dialect.key(row, "key_after"),
                                        row.getLong("highest_before") + ">" + row.getLong("highest_after")));
            }
        }

        @Test
        void tellsWhereFencesAreMissingOrDifferent() {
            SchemaControl schema = backend.ability(SchemaControl.class).orElseThrow();
            String fences = place.in("fenceline_fences");

            place.execute("DROP TABLE " + fences);
            assertThat(schema.schemaProblems()).containsExactly("table " + fences + " is missing");
            assertThatExceptionOfType(io.fenceline.BackendException.class)
                    .isThrownBy(() -> catalog.guard().highest("invoice:42"))
                    .withMessageContaining("fenceline schema install");
            schema.installSchema();
            assertThat(schema.schemaProblems()).isEmpty();

            place.execute("ALTER TABLE " + fences + " DROP COLUMN written");
            assertThat(schema.schemaProblems())
                    .containsExactly("column written of " + fences + " is missing; it should be: BIGINT NOT NULL");
        }
    }

    @Nested
    class OnMariaDb extends CatalogOfBytes {
        @Override
        GuardPlace newPlace() {
            return new MariaDbPlace();
        }
    }

    @Nested
    class OnH2 extends CatalogOfBytes {
        @Override
        GuardPlace newPlace() {
            return new H2Place();
        }
    }

    static FenceStamp stamp(String lock, long token) {
        return new FenceStamp(LockKey.of(lock), FencingToken.of(token));
    }
}
