package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.FenceStamp;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceTable;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import io.fenceline.testkit.FenceCatalogContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Fences beside tables of locks. */
class FenceCatalogTest {

    @Nested
    class OnPostgres extends FenceCatalogContract {

        private final PostgresPlace place = new PostgresPlace();

        @AfterEach
        void remove() {
            place.close();
        }

        @Override
        protected LockBackend open() {
            LockBackend opened =
                    JdbcLockBackend.on(place.source(), JdbcOptions.defaults().withTable(place.in("fenceline_lock")));
            opened.ability(SchemaControl.class).orElseThrow().installSchema();
            return opened;
        }

        @Override
        protected void write(String resource, FenceStamp stamp) throws SQLException {
            JdbcFenceGuard.on(place.source(), place.options()).write(resource, stamp, connection -> {});
        }

        @Override
        protected List<String> audit() throws SQLException {
            try (Connection connection = place.connect()) {
                return new Sql(
                                "SELECT actor || ' ' || act || ' ' || resource || ' ' || key_before || '>' || key_after || ' '"
                                        + " || highest_before || '>' || highest_after FROM "
                                        + place.in("fenceline_fences_audit") + " ORDER BY at, highest_after")
                        .all(connection, row -> row.getString(1));
            }
        }

        @Test
        void keepsFencesFromBeingDeletedAndTellsWhereTheyAreMissing() {
            SchemaControl schema = backend().ability(SchemaControl.class).orElseThrow();
            catalog().guard().claim("invoice:42", stamp("lock", 34));
            assertThat(schema.schemaProblems()).isEmpty();
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> place.execute("DELETE FROM " + place.in("fenceline_fences")))
                    .havingCause()
                    .withMessageContaining("never deleted");

            place.execute("DROP TABLE " + place.in("fenceline_fences"));
            assertThat(schema.schemaProblems())
                    .containsExactly("table " + place.in("fenceline_fences") + " is missing");
            assertThatExceptionOfType(io.fenceline.BackendException.class)
                    .isThrownBy(() -> catalog().guard().highest("invoice:42"))
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

    /** Names are bytes there. */
    abstract static class CatalogOfBytes extends FenceCatalogContract {

        final GuardPlace place = newPlace();

        abstract GuardPlace newPlace();

        @AfterEach
        void remove() {
            place.close();
        }

        @Override
        protected LockBackend open() {
            LockBackend opened =
                    JdbcLockBackend.on(place.source(), JdbcOptions.defaults().withTable(place.in("fenceline_lock")));
            opened.ability(SchemaControl.class).orElseThrow().installSchema();
            assertThat(opened.ability(SchemaControl.class).orElseThrow().schemaProblems())
                    .isEmpty();
            return opened;
        }

        @Override
        protected void write(String resource, FenceStamp stamp) throws SQLException {
            JdbcFenceGuard.on(place.source(), place.options()).write(resource, stamp, connection -> {});
        }

        @Override
        protected List<String> audit() throws SQLException {
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
            SchemaControl schema = backend().ability(SchemaControl.class).orElseThrow();
            String fences = place.in("fenceline_fences");

            place.execute("DROP TABLE " + fences);
            assertThat(schema.schemaProblems()).containsExactly("table " + fences + " is missing");
            assertThatExceptionOfType(io.fenceline.BackendException.class)
                    .isThrownBy(() -> catalog().guard().highest("invoice:42"))
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
}
