package io.fenceline.jdbc.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Who owns what guards tables, where a role without many rights and a superuser both install. */
class PostgresGuardOwnersTest extends GuardedOrders {

    private static final String PROMOTION = "BEGIN ALTER ROLE shop SUPERUSER; RETURN NULL; END";

    @Override
    TriggerPlace newPlace() {
        return PostgresPlace.pooled();
    }

    @BeforeEach
    void createRoles() {
        for (String role : new String[] {"shop", "other"}) {
            place.sql("CREATE ROLE " + role + " LOGIN PASSWORD 'secret'; GRANT USAGE, CREATE ON SCHEMA " + schema()
                    + " TO " + role);
            as(role, "CREATE TABLE " + role + "_data (id int PRIMARY KEY)");
        }
    }

    @AfterEach
    void dropRoles() {
        place.sql("DROP OWNED BY shop, other CASCADE; DROP ROLE shop, other");
    }

    private String schema() {
        return ((PostgresPlace) place).schema();
    }

    private void as(String role, StampedTask task) {
        PGSimpleDataSource source = ((PostgresPlace) place).unpooled();
        source.setUser(role);
        source.setPassword("secret");
        try (Connection connection = source.getConnection()) {
            task.run(connection);
        } catch (SQLException e) {
            throw new TriggerPlace.Refused(e);
        }
    }

    private void as(String role, String sql) {
        as(role, connection -> update(connection, sql));
    }

    private void installAs(String role, String table) {
        as(role, connection -> GuardedTables.install(connection, GuardedTable.of(table, "id"), place.fences()));
    }

    private void assertNobodyWasPromoted() {
        assertThat(all("SELECT rolname FROM pg_roles WHERE rolname = 'shop' AND rolsuper"))
                .isEmpty();
    }

    @Test
    void aSuperuserWhoInstallsLendsNobodyItsRights() {
        installAs("shop", "shop_data");
        place.install(GuardedTable.of("shop_data", "id"));

        as(
                "shop",
                "CREATE OR REPLACE FUNCTION fenceline_fences_enforce(wanted text, once boolean) RETURNS void"
                        + " LANGUAGE plpgsql AS 'BEGIN ALTER ROLE shop SUPERUSER; END'");
        assertThatThrownBy(() -> as("shop", "INSERT INTO shop_data VALUES (1)"))
                .hasMessageContaining("permission denied");
        assertThatThrownBy(() -> as(
                        "shop",
                        "CREATE OR REPLACE FUNCTION fenceline_fences_follow() RETURNS event_trigger"
                                + " LANGUAGE plpgsql AS 'BEGIN ALTER ROLE shop SUPERUSER; END'"))
                .hasMessageContaining("must be owner");
        assertNobodyWasPromoted();
    }

    /** The owner of a table chooses its types, and how they become texts. */
    @Test
    void castsOfATablesOwnerRunWithNoOtherRightsThanTheOwners() {
        as("shop", "CREATE TYPE kind AS ENUM ('A'); CREATE TABLE kinds (id kind); CREATE TABLE texts (id text)");
        place.install(GuardedTable.of("kinds", "id"));
        place.install(GuardedTable.of("shop_data", "id"));
        place.install(GuardedTable.of("texts", "id"));
        as("shop", "CREATE TYPE trick AS (x int); CREATE TABLE trap (id trick)");
        for (String type : List.of("kind", "trick")) {
            as(
                    "shop",
                    "CREATE FUNCTION promote(" + type + ") RETURNS text LANGUAGE plpgsql AS"
                            + " 'BEGIN ALTER ROLE shop SUPERUSER; RETURN 7; END'; CREATE CAST (" + type
                            + " AS text) WITH FUNCTION promote(" + type + ")"
                            + (type.equals("trick") ? " AS IMPLICIT" : ""));
        }
        String writes = "BEGIN; " + PostgresTriggersTest.stamped(5, "job") + "INSERT INTO ";

        as("shop", writes + "kinds VALUES ('A'); COMMIT");
        String trap =
                "CREATE OR REPLACE TRIGGER trap AFTER INSERT ON trap FOR EACH ROW EXECUTE FUNCTION fenceline_guard_";
        as("shop", trap + "texts()");
        as("shop", writes + "trap VALUES (ROW(1)); COMMIT");
        as("shop", trap + "shop_data()");
        assertThatThrownBy(() -> as("shop", writes + "trap VALUES (ROW(1)); COMMIT"))
                .hasMessageContaining("invalid input syntax for type numeric");

        assertNobodyWasPromoted();
        assertThat(all("SELECT resource FROM fenceline_fences WHERE resource ~ 'kinds'"))
                .isEqualTo("kinds/A");
    }

    /** The application makes the fences when it starts. */
    @Test
    void aSuperuserWhoGuardsWithAnotherRolesFencesRunsNothingOfThatRole() {
        installAs("shop", "shop_data");
        as(
                "shop",
                "CREATE FUNCTION promote() RETURNS trigger LANGUAGE plpgsql AS '" + PROMOTION + "';"
                        + " CREATE TRIGGER promote BEFORE INSERT ON fenceline_fences FOR EACH ROW EXECUTE FUNCTION promote();"
                        + " CREATE TRIGGER promote BEFORE INSERT ON fenceline_guarded FOR EACH ROW EXECUTE FUNCTION promote()");

        assertThatThrownBy(() -> place.install(ORDERS)).hasMessageContaining("permission denied");
        as("shop", "DROP TRIGGER promote ON fenceline_guarded");
        place.install(ORDERS);

        assertThatThrownBy(() -> sql(34, "DELETE FROM orders")).hasMessageContaining("permission denied");
        assertNobodyWasPromoted();
    }

    @Test
    void bothInstallOneAfterTheOtherAndAllIsGuarded() {
        installAs("shop", "shop_data");
        place.install(ORDERS);
        installAs("shop", "shop_data");
        place.install(GuardedTable.of("other_data", "id"));
        as("other", "CREATE TABLE other_child () INHERITS (other_data)");

        sql(
                34,
                "UPDATE orders SET status = 'paid'",
                "INSERT INTO shop_data VALUES (1)",
                "INSERT INTO other_child VALUES (1)");
        complaint("DELETE FROM orders");
        complaint("DELETE FROM shop_data");
        complaint("DELETE FROM other_child");
        assertThat(all("SELECT DISTINCT proowner::regrole FROM pg_proc WHERE pronamespace = '" + schema()
                        + "'::regnamespace AND proname <> 'fenceline_fences_follow'"))
                .isEqualTo("shop");
    }

    /** As earlier versions left it: what a superuser's installation made belonged to the superuser. */
    @Test
    void whatBelongedToASuperuserIsGivenToTheOwnerOfTheFences() {
        place.install(ORDERS);
        place.sql("ALTER TABLE fenceline_fences OWNER TO shop");
        place.sql(
                "CREATE FUNCTION fenceline_guard_old() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN NULL; END'");

        place.install(ORDERS);

        sql(34, "UPDATE orders SET status = 'paid'");
        assertThat(all(
                        "SELECT proname FROM pg_proc WHERE prosecdef AND proowner <> 'shop'::regrole AND pronamespace = '"
                                + schema() + "'::regnamespace"))
                .isEqualTo("fenceline_fences_follow");
    }

    @Test
    void aRoleThatDoesNotOwnTheFencesIsToldWhoDoes() {
        installAs("shop", "shop_data");

        assertThatThrownBy(() -> installAs("other", "other_data")).hasMessageContaining("the fences belong to shop");

        String lost = "DROP FUNCTION fenceline_fences_count; DROP TABLE fenceline_observed";
        place.sql("GRANT shop TO other; " + lost);
        installAs("other", "other_data");
        place.sql(lost);
        as(
                "other",
                "BEGIN; SAVEPOINT of_a_tool; "
                        + new PostgresTriggers(place.fences()).installation(GuardedTable.of("other_data", "id"))
                        + " COMMIT");
        complaint("INSERT INTO other_data VALUES (1)");
    }

    @Test
    void theOwnerOfTheFencesIsNamedWhereItMayNotUseTheirSchema() {
        place.install(ORDERS);
        place.sql("ALTER TABLE fenceline_fences OWNER TO shop; REVOKE ALL ON SCHEMA " + schema() + " FROM shop");

        assertThatThrownBy(() -> place.install(ORDERS))
                .hasMessageContaining("the fences belong to shop")
                .hasMessageContaining("GRANT USAGE ON SCHEMA " + schema() + " TO shop");
        place.sql("GRANT USAGE ON SCHEMA " + schema() + " TO shop");
        place.install(ORDERS);

        sql(34, "UPDATE orders SET status = 'paid'");
        complaint("DELETE FROM orders");
    }

    /** As earlier versions left it. It would run with a superuser's rights what another role writes into it. */
    @Test
    void whatFollowsOthersBelongsToTheSuperuserWhoInstalls() {
        place.install(ORDERS);
        place.sql("ALTER FUNCTION fenceline_fences_follow() OWNER TO shop");

        place.install(ORDERS);

        assertThat(all("SELECT rolname FROM pg_roles JOIN pg_proc ON proowner = pg_roles.oid WHERE rolsuper"
                        + " AND proname = 'fenceline_fences_follow' AND pronamespace = '" + schema()
                        + "'::regnamespace"))
                .isNotEmpty();
    }

    @Test
    void nobodyElseGivesRowsTheirNames() {
        place.install(ORDERS);
        assertThatThrownBy(() -> as("other", "SELECT fenceline_fences_names('other_data', 'orders/', ARRAY['id'])"))
                .hasMessageContaining("permission denied for function");
    }

    @Test
    void nobodyElsePutsTheTriggersOnTables() {
        place.install(ORDERS);
        assertThatThrownBy(
                        () -> as(
                                "other",
                                "CREATE TRIGGER t AFTER INSERT ON other_data FOR EACH ROW EXECUTE FUNCTION fenceline_guard_orders()"))
                .hasMessageContaining("permission denied for function");
    }

    /** Whoever owns a guarded table may use its function for others too. */
    @Test
    void tablesOfOthersGetNoGuardThatTheirOwnersMayNotUse() {
        place.install(GuardedTable.of("shop_data", "id"));
        place.sql(
                "CREATE TABLE ch () INHERITS (other_data); ALTER TABLE other_data OWNER TO shop; ALTER TABLE ch OWNER TO other");
        as(
                "shop",
                "CREATE TRIGGER fenceline_guard AFTER INSERT ON other_data FOR EACH ROW EXECUTE FUNCTION"
                        + " fenceline_guard_shop_data(); ALTER TABLE other_data SET (fillfactor = 50)");
        as("other", "INSERT INTO ch VALUES (1)");
    }

    @Test
    void whatAThirdRoleHasMadeIsNotGivenToTheOwnerOfTheFences() {
        place.install(ORDERS);
        String own = "SELECT proowner::regrole FROM pg_proc WHERE proname = 'fenceline_guard_x'";
        as(
                "other",
                "CREATE FUNCTION fenceline_guard_x() RETURNS void LANGUAGE plpgsql SECURITY DEFINER"
                        + " AS 'BEGIN ALTER ROLE shop SUPERUSER; END'");
        place.install(ORDERS);
        assertThat(all(own)).isEqualTo("other");

        as("other", "CREATE FUNCTION fenceline_fences_key(value varchar) RETURNS text LANGUAGE sql AS 'SELECT value'");
        assertThatThrownBy(() -> place.install(ORDERS))
                .hasMessageContaining("fenceline_fences_key(character varying) belongs to other");
        as("other", "DROP FUNCTION fenceline_fences_key(varchar)");

        place.sql("DROP TABLE fenceline_observed");
        as("other", "CREATE TABLE fenceline_observed (seen bigint)");
        assertThatThrownBy(() -> place.install(ORDERS)).hasMessageContaining("fenceline_observed belongs to other");
    }

    /** A superuser's functions of earlier versions do not keep the owner of the fences from its own tables. */
    @Test
    void theOwnerOfTheFencesInstallsBesideASuperusersFunction() {
        installAs("shop", "shop_data");
        place.install(ORDERS);
        place.sql("ALTER FUNCTION fenceline_guard_orders() OWNER TO CURRENT_USER");

        installAs("shop", "shop_data");

        as("shop", "CREATE TABLE more (id int PRIMARY KEY)");
        installAs("shop", "more");
        complaint("INSERT INTO more VALUES (1)");
    }

    @Test
    void functionsOfTheApplicationAreNotTakenForPartsOfTheGuard() {
        as(
                "other",
                "CREATE FUNCTION guard_login() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user::text'");
        String script = new PostgresTriggers(schema() + ".guard").installation(GuardedTable.of("shop_data", "id"));

        as("shop", script);
        place.sql(script);

        assertThat(all("SELECT guard_login()")).isEqualTo("other");
        complaint("INSERT INTO shop_data VALUES (1)");
    }

    /** The table belongs to another role, as where one role deploys for several applications. */
    @Test
    void theRightToMakeTriggersSuffices() {
        as("other", "GRANT SELECT, TRIGGER ON other_data TO shop");

        installAs("shop", "other_data");
        installAs("shop", "other_data");

        complaint("INSERT INTO other_data VALUES (1)");
    }

    /** Others queue behind a statement that waits for a table, and the command gives up earlier than such a database does. */
    @Test
    void waitsForATableNoLongerThan5sUnlessTheSessionAsksForMore() {
        String limit = "SELECT current_setting('lock_timeout')";
        place.sql("ALTER ROLE shop SET lock_timeout = '60s'");
        TriggerDialect dialect = new PostgresTriggers(place.fences());
        String installation = dialect.installation(GuardedTable.of("shop_data", "id"));

        for (String script : new String[] {installation, dialect.removal("shop_data")}) {
            as("shop", connection -> {
                connection.setAutoCommit(false);
                update(connection, script);
                assertThat(one(connection, limit)).isEqualTo("5s");
                connection.rollback();
            });
            as("shop", connection -> {
                connection.setAutoCommit(false);
                update(connection, "SET lock_timeout = '30s'");
                update(connection, script);
                assertThat(one(connection, limit)).isEqualTo("30s");
                connection.rollback();
            });
        }
    }

    private static String one(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
