package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Backends;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spi.LockBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Which schema of PostgreSQL has the fences of a table. */
class PostgresTriggerSchemasTest extends GuardedOrders {

    @Override
    TriggerPlace newPlace() {
        return PostgresPlace.pooled();
    }

    private String schema() {
        return ((PostgresPlace) place).schema();
    }

    /** A program finds its fences by its search path, and a script that is printed without a database says public. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("R8")
    void takesNoOtherFencesThanProgramsDo(boolean path) {
        JdbcFenceGuard.on(place.source()).schema().installSchema();
        GuardedTable table = GuardedTable.of(schema() + ".orders", "id");
        String script = (path ? "" : "SET search_path = public; ") + new PostgresTriggers().installation(table);

        assertThatThrownBy(() -> place.sql(script))
                .hasMessageContaining("this database has ")
                .hasMessageContaining(".fenceline_fences");

        place.sql("RESET search_path; "
                + new PostgresTriggers().withFences(place.fences()).installation(table));
        complaint("DELETE FROM orders");
    }

    @Test
    @Tag("R5")
    void refusesToGuardATableWithTwoKindsOfFences() {
        place.install(ORDERS);
        place.sql("DROP SCHEMA IF EXISTS other_fences CASCADE; CREATE SCHEMA other_fences");
        TriggerDialect others = new PostgresTriggers("other_fences.fenceline_fences");

        assertThatThrownBy(() -> place.sql(others.installation(ORDERS)))
                .hasMessageContaining("guarded with other fences already, " + place.fences());

        place.remove("orders");
        place.sql(others.installation(ORDERS));
        complaint("DELETE FROM orders");
        place.sql("DROP SCHEMA other_fences CASCADE");
    }

    @Test
    void tellsThatASchemasNameNeedsQuotes() {
        place.sql("CREATE SCHEMA IF NOT EXISTS \"my-app\"");
        place.with(connection -> {
            update(connection, "SET quote_all_identifiers = on");
            assertThat(GuardedTables.observed(connection, "fenceline_fences")).isEmpty();
            update(connection, "RESET quote_all_identifiers; SET search_path = \"my-app\"");
            assertThatThrownBy(() -> GuardedTables.install(
                            connection, GuardedTable.of(schema() + ".orders", "id"), "fenceline_fences"))
                    .hasMessageContaining("schema \"my-app\", whose name needs quotes");
            update(connection, "DROP SCHEMA \"my-app\"");
            return null;
        });
    }

    /** PostgreSQL brings texts into NFC in such a database only. */
    @Test
    @Tag("R8")
    void refusesADatabaseThatIsNotInUtf8() throws SQLException {
        PostgresPlace.server()
                .execute("postgres", "CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'");
        PGSimpleDataSource latin = new PGSimpleDataSource();
        latin.setUrl(PostgresPlace.server().jdbcUrl("latin"));
        JdbcFenceGuard.on(latin).schema().installSchema();
        try (Connection connection = latin.getConnection()) {
            update(connection, "CREATE TABLE orders (id text PRIMARY KEY)");

            assertThatThrownBy(() -> GuardedTables.install(
                            connection,
                            GuardedTable.of("orders", "id").withMode(GuardedTable.Mode.OBSERVE),
                            "fenceline_fences"))
                    .hasMessageContaining("triggers need a database in UTF8, and this one is in LATIN1");
            update(connection, "INSERT INTO orders VALUES ('a')");
        }
    }

    /** Nobody can tell which of two tables of fences programs find, whose search path need not be that of the role that guards. */
    @Test
    @Tag("R8")
    void asksWhichFencesAreMeantWhereThereAreOthersBesideThoseInPublic() {
        JdbcFenceGuard.on(place.source()).schema().installSchema();
        String script = new PostgresTriggers().installation(GuardedTable.of(schema() + ".orders", "id"));
        place.with(connection -> {
            connection.setAutoCommit(false);
            update(
                    connection,
                    "SET LOCAL search_path = public; CREATE TABLE fenceline_fences (LIKE " + place.fences()
                            + " INCLUDING ALL)");

            assertThatThrownBy(() -> update(connection, script))
                    .hasMessageContaining("this database has ")
                    .hasMessageContaining(".fenceline_fences");

            connection.rollback();
            return null;
        });
    }

    @Test
    @Tag("R5")
    void refusesToGuardATableWithTwoKindsOfFencesOfOneSchema() {
        place.install(ORDERS);
        TriggerDialect others = new PostgresTriggers(schema() + ".other_fences");

        assertThatThrownBy(() -> place.sql(others.installation(ORDERS)))
                .hasMessageContaining("guarded with other fences already, " + place.fences());

        place.remove("orders");
        place.sql(others.installation(ORDERS));
        place.sql(others.installation(ORDERS.withMode(GuardedTable.Mode.OBSERVE)));
    }

    /** The role that guards a table need not find what programs find, which keep their claims in other fences. */
    @Test
    @Tag("R8")
    void findsNoOtherFencesByItselfThanThoseInTheTablesOwnSchema() {
        JdbcFenceGuard.on(place.source()).schema().installSchema();
        place.sql("DROP SCHEMA IF EXISTS operators CASCADE; CREATE SCHEMA operators;"
                + " CREATE TABLE operators.orders (id int)");
        try (LockBackend store = Backends.open(PostgresPlace.server().uri() + "&currentSchema=operators")) {
            TriggerControl triggers = store.ability(TriggerControl.class).orElseThrow();
            assertThatThrownBy(() -> triggers.install(ORDERS))
                    .hasMessageContaining("this database has " + place.fences());
        }
        GuardedTable orders = GuardedTable.of(schema() + ".orders", "id");
        place.with(connection -> {
            connection.setAutoCommit(false);
            for (String made :
                    new String[] {"", "CREATE TABLE operators.fenceline_fences (LIKE " + place.fences() + ")"}) {
                update(connection, "SET LOCAL search_path = operators; " + made);
                Savepoint before = connection.setSavepoint();
                assertThatThrownBy(() -> GuardedTables.install(connection, orders, "fenceline_fences"))
                        .hasMessageContaining("this database has " + place.fences())
                        .hasMessageContaining("guard ddl with --fences " + place.fences());
                connection.rollback(before);
            }
            connection.commit();
            return null;
        });

        place.with(connection -> {
            GuardedTables.install(connection, orders, "fenceline_fences");
            return null;
        });
        complaint("DELETE FROM orders");
        place.sql("DROP TABLE operators.fenceline_fences");
        place.with(other -> place.with(connection -> {
            update(other, "CREATE TEMPORARY TABLE fenceline_fences ()"); // which nobody else finds
            GuardedTables.install(connection, GuardedTable.of("operators.orders", "id"), "fenceline_fences");
            return null;
        }));
        place.sql("DROP SCHEMA operators CASCADE");
    }
}
