package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.FencedTableTest.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A key column names one row of the table that the session means, or the table is refused. */
@Tag("R10")
@Timeout(60)
class UniqueKeyTest {

    abstract static class Keys {

        final GuardPlace place = newPlace();

        Keys() {
            JdbcFenceGuard.on(place.source(), place.options()).schema().installSchema();
        }

        abstract GuardPlace newPlace();

        @AfterEach
        void close() {
            place.close();
        }

        /** Makes things with the columns id, part, v and last_fence. */
        void things(String table, String key) {
            place.execute("CREATE TABLE " + table
                    + " (id BIGINT NOT NULL, part INT NOT NULL, v VARCHAR(9), last_fence BIGINT" + key + ")");
        }

        boolean isAccepted(String table, String column, String... before) throws SQLException {
            try (Connection connection = place.begin()) {
                try (Statement statement = connection.createStatement()) {
                    for (String sql : before) {
                        statement.execute(sql);
                    }
                }
                FencedTable things = FencedTable.of(table, column, "last_fence").with(place.options());
                things.update(connection, 1L, stamp(1), Columns.none());
                return true;
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageContaining("does not name one row");
                return false;
            }
        }
    }

    @Nested
    class OnPostgres extends Keys {

        @Override
        GuardPlace newPlace() {
            return new PostgresPlace();
        }

        @Test
        void isLookedForInTheTableThatTheSearchPathLeadsTo() throws SQLException {
            String schema = place.in("").replace(".", "");
            place.execute("CREATE SCHEMA " + schema + "_first");
            place.execute("CREATE SCHEMA " + schema + "_elsewhere");
            try {
                String path = "SET LOCAL search_path = " + schema + "_first, " + schema;
                things(schema + ".later", ", PRIMARY KEY (id, part)");
                things(schema + "_elsewhere.later", ", PRIMARY KEY (id)");
                assertThat(isAccepted("later", "id", path)).isFalse();

                things(schema + "_first.later", ", PRIMARY KEY (id)");
                assertThat(isAccepted("later", "id", path)).isTrue();
            } finally {
                place.execute("DROP SCHEMA " + schema + "_first, " + schema + "_elsewhere CASCADE");
            }
        }

        @Test
        void isLookedForInATemporaryTableFirst() throws SQLException {
            things(place.in("things"), ", PRIMARY KEY (id)");

            String path = "SET LOCAL search_path = " + place.in("").replace(".", "");
            String temporary = "CREATE TEMPORARY TABLE things (id bigint, last_fence bigint) ON COMMIT DROP";
            assertThat(isAccepted("things", "id", path)).isTrue();
            assertThat(isAccepted("things", "id", path, temporary)).isFalse();
        }

        @Test
        void mayHaveAnIndexThatCarriesFurtherColumns() throws SQLException {
            things(place.in("things"), ", UNIQUE (id) INCLUDE (v)");
            assertThat(isAccepted(place.in("things"), "id")).isTrue();
            assertThat(isAccepted(place.in("things"), "v")).isFalse();
        }

        @Test
        void isNotUniqueByAnIndexThatCouldNotBeMade() throws SQLException {
            things(place.in("things"), "");
            place.execute("INSERT INTO " + place.in("things") + " (id, part) VALUES (1, 1), (1, 2)");
            assertThatThrownBy(
                            () -> place.execute("CREATE UNIQUE INDEX CONCURRENTLY ON " + place.in("things") + " (id)"))
                    .isInstanceOf(IllegalStateException.class);
            place.execute("DELETE FROM " + place.in("things"));

            assertThat(isAccepted(place.in("things"), "id")).isFalse();
        }

        @Test
        void isNotUniqueByAnExpressionOrUnderAnotherSpelling() throws SQLException {
            things(place.in("things"), ", \"ID\" BIGINT UNIQUE");
            place.execute("CREATE UNIQUE INDEX ON " + place.in("things") + " (id, lower(v))");
            place.execute("CREATE UNIQUE INDEX ON " + place.in("things") + " (abs(id))");
            assertThat(isAccepted(place.in("things"), "id")).isFalse();
            assertThat(isAccepted(place.in("things"), "ID")).isTrue();
        }

        @Test
        void ofAViewIsNotLookedForAndThatOfAPartitionedTableIs() throws SQLException {
            place.execute("CREATE TABLE " + place.in("parted") + " (id bigint, v text, last_fence bigint)"
                    + " PARTITION BY LIST (id)");
            assertThat(isAccepted(place.in("parted"), "id")).isFalse();
            place.execute("CREATE VIEW " + place.in("seen") + " AS SELECT * FROM " + place.in("parted"));
            assertThat(isAccepted(place.in("seen"), "id")).isTrue();
            place.execute("CREATE UNIQUE INDEX ON " + place.in("parted") + " (id)");
            assertThat(isAccepted(place.in("parted"), "id")).isTrue();
        }
    }

    @Nested
    class OnSqlite extends Keys {

        @Override
        GuardPlace newPlace() {
            return new SqlitePlace();
        }

        @Test
        void isNotUniqueByAnIndexOfSomeRowsOrWithAnExpression() throws SQLException {
            things("things", "");
            for (String index : List.of("(id) WHERE part = 1", "(id, lower(v))", "(lower(id))", "(id, part)")) {
                place.execute("CREATE UNIQUE INDEX \"" + index + "\" ON things " + index);
                assertThat(isAccepted("things", "id")).as(index).isFalse();
            }
            place.execute("CREATE UNIQUE INDEX whole ON things (ID DESC)");
            assertThat(isAccepted("Things", "Id")).isTrue();
        }

        @Test
        void isUniqueByAPrimaryKeyOfItsOwnInWhateverForm() throws SQLException {
            for (String key :
                    List.of("INTEGER PRIMARY KEY", "INT PRIMARY KEY", "INTEGER PRIMARY KEY DESC", "INT UNIQUE")) {
                place.execute("CREATE TABLE things (id " + key + ", last_fence INTEGER)");
                assertThat(isAccepted("things", "id")).as(key).isTrue();
                place.execute("DROP TABLE things");
            }
            place.execute("CREATE TABLE things (id INT PRIMARY KEY, part INT, last_fence INTEGER) WITHOUT ROWID");
            assertThat(isAccepted("things", "id")).isTrue();
            assertThat(isAccepted("things", "part")).isFalse();
        }

        @Test
        void isLookedForInATemporaryTableFirst() throws SQLException {
            things("things", ", PRIMARY KEY (id)");

            String temporary =
                    "CREATE TEMPORARY TABLE things (id INT, part INT, last_fence INT, PRIMARY KEY (id, part))";
            assertThat(isAccepted("things", "id", temporary)).isFalse();
            assertThat(isAccepted("main.things", "id", temporary)).isTrue();
        }
    }

    @Nested
    class OnH2 extends Keys {

        @Override
        GuardPlace newPlace() {
            return new H2Place();
        }

        @Test
        void isLookedForInAllTablesThatAPathMayLeadTo() throws SQLException {
            place.execute("CREATE SCHEMA APP");
            place.execute("CREATE SCHEMA ARCHIVE");
            things("APP.LATER", ", PRIMARY KEY (ID, PART)");
            things("ARCHIVE.LATER", ", PRIMARY KEY (ID)");

            String path = "SET SCHEMA_SEARCH_PATH PUBLIC, APP";
            assertThat(isAccepted("LATER", "ID", path)).isFalse();
            assertThat(isAccepted("ARCHIVE.LATER", "ID")).isTrue();
        }

        @Test
        void isLookedForInWhateverIsNoView() throws SQLException {
            things("THINGS", ", PRIMARY KEY (ID, PART)");
            place.execute("CREATE SYNONYM OTHER FOR THINGS");
            place.execute("CREATE GLOBAL TEMPORARY TABLE KEPT AS SELECT * FROM THINGS");
            assertThat(isAccepted("OTHER", "ID")).isFalse();
            assertThat(isAccepted("KEPT", "ID")).isFalse();
        }

        @Test
        void isNotFoundBehindASynonym() throws SQLException {
            things("THINGS", ", PRIMARY KEY (ID)");
            place.execute("CREATE SYNONYM OTHER FOR THINGS");
            assertThat(isAccepted("OTHER", "ID")).isFalse();
            place.execute("CREATE GLOBAL TEMPORARY TABLE KEPT (ID BIGINT PRIMARY KEY, LAST_FENCE BIGINT)");
            assertThat(isAccepted("KEPT", "ID")).isTrue();
        }
    }

    @Nested
    class OnMariaDb extends Keys {

        @Override
        GuardPlace newPlace() {
            return new MariaDbPlace("TRANSACTION_REPEATABLE_READ", "&nullDatabaseMeansCurrent=true");
        }

        @Test
        void isLookedForInAnotherDatabaseToo() throws SQLException {
            String other = place.in("").replace(".", "") + "_other";
            place.execute("CREATE DATABASE " + other);
            try {
                things(other + ".pairs", ", PRIMARY KEY (id, part)");
                things(other + ".things", ", PRIMARY KEY (id)");
                assertThat(isAccepted(other + ".pairs", "id")).isFalse();
                assertThat(isAccepted(other + ".things", "id")).isTrue();
            } finally {
                place.execute("DROP DATABASE " + other);
            }
        }
    }
}
