package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions and tables that inherit: whose guard they are under, and what stays when they leave. */
@Tag("R9")
class PostgresPartsTest extends GuardedOrders {

    @Override
    TriggerPlace newPlace() {
        return PostgresPlace.pooled();
    }

    private void partitioned() {
        place.sql("CREATE TABLE ev (id int, y int, PRIMARY KEY (id, y)) PARTITION BY RANGE (y);"
                + " CREATE TABLE ev_2024 PARTITION OF ev FOR VALUES FROM (2024) TO (2025);"
                + " CREATE TABLE ev_2025 PARTITION OF ev FOR VALUES FROM (2025) TO (2026)");
        place.install(GuardedTable.of("ev", "id", "y"));
    }

    private void inheriting() {
        place.sql("CREATE TABLE pa (id int PRIMARY KEY); CREATE TABLE ch () INHERITS (pa)");
        place.install(GuardedTable.of("pa", "id"));
    }

    @Test
    void aDetachedPartitionIsGuardedByItself() {
        partitioned();
        place.sql("ALTER TABLE ev DETACH PARTITION ev_2024");

        place.install(GuardedTable.of("ev_2024", "id", "y"));
        complaint("INSERT INTO ev_2024 VALUES (1, 2024)");
        complaint("TRUNCATE ev_2024");
        complaint("INSERT INTO ev VALUES (1, 2025)");
        complaint("TRUNCATE ev_2025");

        place.remove("ev_2024");
        place.sql("INSERT INTO ev_2024 VALUES (1, 2024)");
        complaint("INSERT INTO ev VALUES (1, 2025)");
    }

    /** Without an event trigger something of the parent's guard stays. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDetachedPartitionKeepsNothingOfItsParentsGuard(boolean followed) {
        partitioned();
        place.sql(followed ? "RESET jit" : "DROP FUNCTION fenceline_fences_follow CASCADE");
        place.sql("ALTER TABLE ev DETACH PARTITION ev_2024; ALTER TABLE ev DETACH PARTITION ev_2025");
        if (!followed) {
            place.remove("ev_2024");
            place.install(GuardedTable.of("ev_2025", "id", "y"));
            place.remove("ev_2025");
        }

        place.sql("TRUNCATE ev_2024; TRUNCATE ev_2025");

        complaint("TRUNCATE ev");
        assertThat(
                        all(
                                "SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'fenceline_guard' AND tgfoid::regproc::text ~ 'ev'"))
                .isEqualTo("ev");
    }

    @Test
    void aPartIsNotGivenFreeByItself() {
        partitioned();
        inheriting();

        assertThatThrownBy(() -> place.remove("ev_2025"))
                .hasMessageContaining("ev_2025 is a part of ev, which is guarded")
                .hasMessageContaining("guard remove for ev");
        assertThatThrownBy(() -> place.remove("ch")).hasMessageContaining("ch is a part of pa, which is guarded");

        complaint("INSERT INTO ev_2025 VALUES (1, 2025)");
        complaint("INSERT INTO ch VALUES (1)");
        place.remove("ev");
        place.remove("pa");
        place.sql("INSERT INTO ev VALUES (1, 2025); INSERT INTO ch VALUES (1); TRUNCATE ev_2024");
        assertThat(
                        all(
                                "SELECT proname FROM pg_proc WHERE proname LIKE 'fenceline_guard_%' AND pronamespace = current_schema()::regnamespace"))
                .isEmpty();
    }

    @Test
    void aTableThatNoLongerInheritsIsGuardedUntilItsOwnGuardIsRemoved() {
        inheriting();
        place.sql("ALTER TABLE ch NO INHERIT pa");
        complaint("INSERT INTO ch VALUES (1)");

        place.install(GuardedTable.of("ch", "id").withPrefix("pa/"));
        complaint("INSERT INTO ch VALUES (1)");
        complaint("INSERT INTO pa VALUES (1)");

        place.remove("ch");
        place.sql("INSERT INTO ch VALUES (1)");
        complaint("INSERT INTO pa VALUES (1)");
    }

    @Test
    void aParentsGuardLeavesThoseThatNoLongerInherit() {
        inheriting();
        place.sql("ALTER TABLE ch NO INHERIT pa");

        place.install(GuardedTable.of("pa", "id"));
        complaint("INSERT INTO ch VALUES (1)");
        place.remove("pa");

        place.sql("INSERT INTO pa VALUES (1)");
        complaint("INSERT INTO ch VALUES (1)");
        place.remove("ch");
        place.sql("INSERT INTO ch VALUES (1)");
    }

    /** A row has one name, so a child of two guarded tables is guarded as that of one. */
    @Test
    void aChildThatCannotBeGuardedKeepsTheGuardFromNoOther() {
        inheriting();
        place.sql("CREATE TABLE pb (id int PRIMARY KEY)");
        place.install(GuardedTable.of("pb", "id"));

        place.sql("CREATE TABLE child_of_both () INHERITS (pa, pb)");
        place.sql("CREATE TABLE child_of_b () INHERITS (pb)");

        complaint("INSERT INTO child_of_both VALUES (1)");
        complaint("INSERT INTO child_of_b VALUES (1)");
    }

    @Test
    void partsThatAreMadeAtTheSameTimeAreAllGuarded() {
        partitioned();
        inheriting();

        place.with(connection -> {
            connection.setAutoCommit(false);
            update(connection, "CREATE TABLE ev_2026 PARTITION OF ev FOR VALUES FROM (2026) TO (2027)");
            place.sql("SET lock_timeout = '2s'; CREATE TABLE child () INHERITS (pa); RESET lock_timeout");
            connection.commit();
            return null;
        });

        complaint("INSERT INTO child VALUES (1)");
        complaint("TRUNCATE ev_2026");
    }

    @Test
    void aTableThatNoLongerInheritsDoesNotMakeTheChangeOfItsParentsGuardWait() {
        place.sql("CREATE TABLE pa (id int PRIMARY KEY); CREATE TABLE ch () INHERITS (pa)");
        place.install(GuardedTable.of("pa", "id").withMode(GuardedTable.Mode.OBSERVE));
        place.sql("ALTER TABLE ch NO INHERIT pa");
        place.with(reader -> {
            reader.setAutoCommit(false);
            reader.prepareStatement("SELECT FROM pa").executeQuery();
            place.install(GuardedTable.of("pa", "id"));
            reader.commit();
            return null;
        });

        complaint("INSERT INTO pa VALUES (1)");
        complaint("INSERT INTO ch VALUES (1)");
    }

    /** To make a trigger waits for writers, also one that is there already. */
    @Test
    void aChildThatCannotBeGuardedIsNotTriedAgainForOthers() {
        inheriting();
        place.sql("CREATE TABLE pb (id int PRIMARY KEY)");
        place.install(GuardedTable.of("pb", "id"));
        place.sql("CREATE TABLE child_of_both () INHERITS (pa, pb)");

        place.with(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("ALTER TABLE pb SET (fillfactor = 70)");
                assertThat((Throwable) statement.getWarnings()).isNull();
                statement.execute("CREATE TABLE child_of_b () INHERITS (pb)");
                assertThat((Throwable) statement.getWarnings()).isNull();
            }
            return null;
        });
        complaint("INSERT INTO child_of_b VALUES (1)");
    }

    /** Up to PostgreSQL 15 they can have no trigger for TRUNCATE. */
    @Test
    void foreignTablesAmongThePartsAreGuarded() {
        inheriting();
        place.sql("CREATE FOREIGN DATA WRAPPER far; CREATE SERVER far FOREIGN DATA WRAPPER far;"
                + " CREATE FOREIGN TABLE far_before () INHERITS (pa) SERVER far");
        place.install(GuardedTable.of("pa", "id"));
        place.sql("CREATE FOREIGN TABLE far_later () INHERITS (pa) SERVER far");

        assertThat(all("SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'fenceline_guard'"
                        + " AND tgrelid::regclass::text LIKE 'far%' ORDER BY 1"))
                .isEqualTo("far_before, far_later");
        place.sql("DROP FOREIGN DATA WRAPPER far CASCADE");
    }

    /** As a restore or a bulk load leaves them that broke off. */
    @Test
    void anInstallationEnablesTriggersThatWereDisabled() {
        partitioned();
        place.install(ORDERS);
        place.sql("ALTER TABLE orders DISABLE TRIGGER USER; ALTER TABLE ev_2024 DISABLE TRIGGER USER;"
                + " ALTER TABLE ev_2025 ENABLE REPLICA TRIGGER fenceline_guard");

        place.install(ORDERS);
        place.install(GuardedTable.of("ev", "id", "y"));

        complaint("DELETE FROM orders");
        complaint("TRUNCATE ev_2024");
        complaint("INSERT INTO ev_2024 VALUES (1, 2024)");
        complaint("INSERT INTO ev_2025 VALUES (1, 2025)");
        String follower = all("SELECT quote_ident(evtname) FROM pg_event_trigger"
                + " WHERE evtfoid = 'fenceline_fences_follow'::regproc");
        place.sql("ALTER EVENT TRIGGER " + follower + " DISABLE");
        place.install(ORDERS);
        place.sql("CREATE TABLE more_orders () INHERITS (orders)");
        complaint("INSERT INTO more_orders VALUES (1)");
    }

    @Test
    void theGuardOfAFormerChildIsNotThatOfItsParent() {
        inheriting();
        place.sql("ALTER TABLE ch NO INHERIT pa");

        place.install(GuardedTable.of("ch", "id").withPrefix("pa/").withMode(GuardedTable.Mode.OBSERVE));

        place.sql("INSERT INTO ch VALUES (1)");
        complaint("INSERT INTO pa VALUES (1)");
    }

    @Test
    void theGuardOfAFormerChildIsNotThatOfAnother() {
        inheriting();
        place.sql("CREATE TABLE ch_2 () INHERITS (pa); ALTER TABLE ch NO INHERIT pa; ALTER TABLE ch_2 NO INHERIT pa");
        place.remove("pa");

        GuardedTable observed = GuardedTable.of("ch", "id").withPrefix("pa/").withMode(GuardedTable.Mode.OBSERVE);
        place.install(observed);
        place.install(observed);

        place.sql("INSERT INTO ch VALUES (1)");
        complaint("INSERT INTO ch_2 VALUES (1)");
    }

    /** Whoever may make triggers on a table chooses their names. */
    @ParameterizedTest
    @CsvSource({"pg_monitor, fenceline_guard_trick", "CURRENT_USER, trick"})
    void noTriggersButAGuardsFollowToChildren(String author, String function) {
        place.install(ORDERS);
        place.sql("CREATE TABLE pa (); CREATE TABLE ch () INHERITS (pa); CREATE FUNCTION " + function
                + "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; ALTER FUNCTION " + function
                + " OWNER TO " + author
                + "; CREATE TRIGGER fenceline_guard AFTER INSERT ON pa FOR EACH ROW EXECUTE FUNCTION "
                + function + "()");

        place.sql("CREATE TABLE later () INHERITS (pa)");

        assertThat(all("SELECT tgrelid::regclass FROM pg_trigger WHERE tgfoid = '" + function + "'::regproc"))
                .isEqualTo("pa");
    }

    @Test
    void aRemovalDropsNoFunctionButAGuards() {
        place.sql(
                "CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TABLE accounts ();"
                        + " CREATE TRIGGER audit AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION audit();"
                        + " CREATE TRIGGER fenceline_guard AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION audit()");

        place.remove("orders");

        assertThat(all("SELECT tgrelid::regclass FROM pg_trigger WHERE tgfoid = 'audit'::regproc"))
                .isEqualTo("accounts");
    }

    /** Whoever makes a part holds locks on the whole meanwhile. */
    @Test
    void whoeverMakesAPartWaitsForNoOtherFamily() {
        inheriting();
        place.sql("CREATE TABLE pb (id int); CREATE TABLE unguarded () INHERITS (pb)");
        place.install(GuardedTable.of("pb", "id"));
        place.sql("DROP TRIGGER fenceline_guard ON unguarded");

        place.with(owner -> place.with(connection -> {
            owner.setAutoCommit(false);
            update(owner, "LOCK TABLE unguarded");
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET lock_timeout = '2s'; CREATE TABLE later () INHERITS (pa)");
                assertThat((Throwable) statement.getWarnings()).isNull();
            }
            owner.rollback();
            return null;
        }));
        complaint("INSERT INTO later VALUES (1)");
    }

    @Test
    void theGuardOfAChildOfTwoGuardedTablesIsNotRemovedWithThatOfOne() {
        inheriting();
        place.sql("CREATE TABLE pb (id int)");
        place.install(GuardedTable.of("pb", "id"));
        place.sql("CREATE TABLE child_of_both () INHERITS (pa); ALTER TABLE child_of_both INHERIT pb");

        assertThatThrownBy(() -> place.remove("pa"))
                .hasMessageContaining("child_of_both is a part of pb, which is guarded; run guard remove for pb");
        complaint("INSERT INTO child_of_both VALUES (1)");

        place.remove("pb");
        complaint("INSERT INTO child_of_both VALUES (1)");
        place.remove("pa");
        place.sql("INSERT INTO child_of_both VALUES (1)");
    }

    /** Without a superuser's event trigger it keeps what refuses TRUNCATE. */
    @Test
    void aPartitionThatWasDetachedIsGuardedAsThatOfAnotherTable() {
        partitioned();
        place.sql("CREATE TABLE old (id int, y int, PRIMARY KEY (id, y)) PARTITION BY RANGE (y);"
                + " DROP FUNCTION fenceline_fences_follow CASCADE; ALTER TABLE ev DETACH PARTITION ev_2024;"
                + " ALTER TABLE old ATTACH PARTITION ev_2024 FOR VALUES FROM (2024) TO (2025)");

        place.install(GuardedTable.of("old", "id", "y"));

        complaint("TRUNCATE ev_2024");
        place.remove("old");
        place.sql("TRUNCATE ev_2024");
    }
}
