package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.zaxxer.hikari.HikariDataSource;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows have one fence for all keys that the database calls equal, and tables whose keys have no such thing are refused. */
@Tag("R10")
@Timeout(60)
class RowKeyTest {

    @Nested
    class OnPostgres extends RowKeyContract {

        @Override
        GuardPlace newPlace() {
            return new PostgresPlace();
        }

        @Override
        String bytesType() {
            return "bytea";
        }

        @Override
        String looseType() {
            place.execute("CREATE COLLATION " + place.in("loose")
                    + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            return "text COLLATE " + place.in("loose");
        }

        @Test
        void spacesAtTheEndOfACharDoNotCount() throws SQLException {
            oneFence(table("char(5) PRIMARY KEY"), "a  ", "a");
        }

        @Test
        void aSpaceBeforeALineFeedCounts() throws SQLException {
            twoFences(table("char(5) PRIMARY KEY"), "a \n", "a\n");
        }

        @Test
        void aDomainIsComparedAsItsTypeIs() throws SQLException {
            place.execute("CREATE DOMAIN " + place.in("amount") + " AS numeric CHECK (value > 0)");
            FencedTable table = table(place.in("amount") + " PRIMARY KEY");

            oneFence(table, new BigDecimal("42.00"), "42");
        }

        @Test
        void aDomainOfADomainToo() throws SQLException {
            place.execute("CREATE DOMAIN " + place.in("five") + " AS char(5)");
            place.execute("CREATE DOMAIN " + place.in("code") + " AS " + place.in("five") + " NOT NULL");

            oneFence(table(place.in("code") + " PRIMARY KEY"), "a  ", "a");
        }

        @Test
        void aTextWhoseLastSpacesAreCutIsNoKey() throws SQLException {
            refused(table("varchar(3) PRIMARY KEY"), "abc ", "cut");
        }

        @Test
        void aTypeThatCutsOrRoundsWithoutAnErrorIsNoKey() throws SQLException {
            for (String type : List.of("name", "\"char\"")) {
                refused(table(type + " PRIMARY KEY"), "a".repeat(64), "numbers, texts, UUIDs or bytes");
                place.execute("DROP TABLE " + place.in("things"));
            }
            refused(table("numeric(3, -2) PRIMARY KEY"), 1234, "round");
        }

        @Test
        void numbersWithoutLimitsAreKept() throws SQLException {
            oneFence(table("numeric PRIMARY KEY"), new BigDecimal("7.50"), "7.5");
        }

        @Test
        void uuidsAreOneRowAlsoAsText() throws SQLException {
            UUID id = UUID.randomUUID();
            oneFence(table("uuid PRIMARY KEY"), id.toString().toUpperCase(Locale.ROOT), id);
        }

        @Test
        void anIndexOfSomeRowsNamesNone() throws SQLException {
            FencedTable table = table("bigint");
            place.execute("CREATE UNIQUE INDEX ON " + place.in("things") + " (id) WHERE status = 'open'");

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> oneFence(table, 1, 1))
                    .withMessageContaining("does not name one row");
        }

        @Test
        void fourBytesHoldNoFence() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> oneFence(table("bigint PRIMARY KEY", "integer"), 1, 1))
                    .withMessageContaining("BIGINT");
        }
    }

    @Nested
    class OnSqlite extends RowKeyContract {

        @Override
        GuardPlace newPlace() {
            return new SqlitePlace();
        }

        @Override
        String bytesType() {
            return "BLOB";
        }

        @Override
        String looseType() {
            return "TEXT COLLATE NOCASE";
        }

        @Test
        void aKeyOfSeveralRowsIsRefusedHoweverTheTableIsWritten() throws SQLException {
            table("BIGINT");

            refused(FencedTable.of("THINGS", "ID", "last_fence"), 1, "does not name one row");
        }

        /** A condition compares by the column's collation, whatever that of its index is. */
        @Test
        void textsAreComparedAsTheColumnDoesThatTheKeyIsLookedForIn() throws SQLException {
            FencedTable loose = table("TEXT COLLATE NOCASE");
            place.execute("CREATE UNIQUE INDEX bytewise ON things (id COLLATE BINARY)");
            refused(loose, "a", "compares byte by byte");
            place.execute("CREATE VIEW seen AS SELECT * FROM things");
            refused(FencedTable.of("seen", "id", "last_fence"), "a", "compares byte by byte");
            place.execute("DROP VIEW seen");
            place.execute("DROP TABLE things");

            oneFence(table("TEXT COLLATE RTRIM PRIMARY KEY"), "a  ", "a");
        }

        @Test
        void numbersOfMoreDigitsThanTheColumnKeepsAreNoKeys() throws SQLException {
            FencedTable table = table("DECIMAL(30, 20) PRIMARY KEY");

            refused(table, new BigDecimal("0.123456789012345671"), "round");
            refused(table, new BigDecimal("9223372036854775809"), "round");
            oneFence(table, Long.MAX_VALUE, String.valueOf(Long.MAX_VALUE));
        }

        @Test
        void textFencesNeedAColumnThatKeepsTexts() {
            for (String type : List.of("STRING", "NUMERIC", "INTEGER", "")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() ->
                                oneFence(table("INTEGER PRIMARY KEY", type).withTextFences(), 1, 1))
                        .withMessageContaining("text");
                place.execute("DROP TABLE things");
            }
        }
    }

    @Nested
    class OnMariaDb extends RowKeyContract {

        @Override
        GuardPlace newPlace() {
            return new MariaDbPlace();
        }

        @Override
        String bytesType() {
            return "VARBINARY(16)";
        }

        @Override
        String looseType() {
            return "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
        }

        @Test
        void spacesAtTheEndDoNotCountWhereTheCollationPads() throws SQLException {
            oneFence(table("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY"), "a  ", "a");
            place.execute("DROP TABLE " + place.in("things"));
            oneFence(table("CHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY"), "b  ", "b");
        }

        /** A rollback would leave the row as it was written, and take the fence back. */
        @Test
        @Tag("R3")
        void aTableWithoutTransactionsIsRefused() throws SQLException {
            for (String engine : List.of("MyISAM", "Aria", "MEMORY")) {
                FencedTable table = table("BIGINT PRIMARY KEY");
                place.execute("ALTER TABLE " + place.in("things") + " ENGINE = " + engine);
                refused(table, 42L, "engine " + engine + ", which has no transactions");
                place.execute("DROP TABLE " + place.in("things"));
            }
        }

        /** As {@code useCatalogTerm=SCHEMA} has the driver do. */
        @Test
        @Tag("R3")
        void aTableIsFoundWhereTheDriverCallsDatabasesSchemas() throws SQLException {
            place.execute("CREATE TABLE fast (id BIGINT PRIMARY KEY, last_fence BIGINT) ENGINE = MyISAM");
            place.execute("CREATE TABLE texts (id " + place.textType(9) + " PRIMARY KEY, last_fence BIGINT)");
            HikariDataSource pool = (HikariDataSource) place.source();
            try (Connection connection = DriverManager.getConnection(pool.getJdbcUrl() + "&useCatalogTerm=SCHEMA")) {
                connection.setAutoCommit(false);

                assertThatIllegalArgumentException()
                        .isThrownBy(() -> update(connection, "fast", 42L))
                        .withMessageContaining("engine MyISAM, which has no transactions");
                update(connection, "texts", "a");
            }
        }

        private boolean update(Connection connection, String table, Object key) throws SQLException {
            return FencedTable.of(table, "id", "last_fence")
                    .with(place.options())
                    .update(connection, key, FencedTableTest.stamp(1), Columns.none());
        }

        /** Without strict mode MariaDB says nothing. */
        @Test
        void whatIsLongerThanItsColumnIsNoKey() throws SQLException {
            refused(table(place.textType(3) + " PRIMARY KEY"), "abcd", "would be cut to 3 characters");
            place.execute("DROP TABLE " + place.in("things"));
            refused(table("varbinary(2) PRIMARY KEY"), new byte[3], "would be cut to 2");
        }

        @Test
        void aTextWhoseLastSpacesAreCutIsNoKey() throws SQLException {
            refused(table(place.textType(3) + " PRIMARY KEY"), "abc ", "cut");
        }

        /** The first text of an ENUM is also '1', and 'b,a' is the SET 'a,b'. */
        @Test
        void aListOfTextsIsNoKey() throws SQLException {
            for (String type : List.of("ENUM", "SET")) {
                refused(
                        table(type + "('a', 'b') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY"),
                        "a",
                        "type or collation");
                place.execute("DROP TABLE " + place.in("things"));
            }
        }

        @Test
        void bytesOfAFixedLengthAreGivenInFull() throws SQLException {
            FencedTable table = table("BINARY(3) PRIMARY KEY");

            oneFence(table, new byte[] {1, 2, 3}, new byte[] {1, 2, 3});
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> oneFence(table, new byte[] {1}, new byte[] {1}))
                    .withMessageContaining("pad");
        }

        @Test
        void uuidsAreOneRowAlsoAsText() throws SQLException {
            UUID id = UUID.randomUUID();
            oneFence(table("UUID PRIMARY KEY"), id.toString(), id);
        }

        @Test
        void fourBytesHoldNoFence() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> oneFence(table("BIGINT PRIMARY KEY", "INT"), 1, 1))
                    .withMessageContaining("BIGINT");
        }
    }

    @Nested
    class OnH2 extends RowKeyContract {

        @Override
        GuardPlace newPlace() {
            return new H2Place();
        }

        @Override
        String bytesType() {
            return "VARBINARY(16)";
        }

        @Override
        String looseType() {
            return "VARCHAR_IGNORECASE(20)";
        }

        @Test
        @Tag("R10")
        void aLooseKeyIsFoundWhereverASearchPathOrASynonymLeads() throws SQLException {
            place.execute("CREATE SCHEMA APP");
            place.execute("CREATE TABLE APP.LOOSE (ID VARCHAR_IGNORECASE(9) PRIMARY KEY, LAST_FENCE BIGINT)");
            place.execute("CREATE TABLE APP.EXACT (ID VARCHAR(9) PRIMARY KEY, LAST_FENCE BIGINT)");
            place.execute("CREATE SYNONYM OTHER FOR APP.LOOSE");
            try (Connection connection = place.begin();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET SCHEMA_SEARCH_PATH PUBLIC, APP");
                for (String name : List.of("APP.LOOSE", "LOOSE", "OTHER")) {
                    FencedTable table = FencedTable.of(name, "ID", "LAST_FENCE").with(place.options());
                    assertThatIllegalArgumentException()
                            .as(name)
                            .isThrownBy(() -> table.update(connection, "a", FencedTableTest.stamp(1), Columns.none()));
                }
                FencedTable.of("EXACT", "ID", "LAST_FENCE")
                        .with(place.options())
                        .update(connection, "a", FencedTableTest.stamp(1), Columns.none());
            }
        }

        @Test
        void spacesAtTheEndOfACharDoNotCount() throws SQLException {
            oneFence(table("CHAR(5) PRIMARY KEY"), "a  ", "a");
        }

        @Test
        void numbersWithoutLimitsAreWhole() throws SQLException {
            FencedTable table = table("NUMERIC PRIMARY KEY");

            refused(table, new BigDecimal("7.5"), "round");
            oneFence(table, new BigDecimal("8.0"), 8);
        }

        @Test
        void aNumberThatIsRoundedToItsFirstDigitsIsNoKey() throws SQLException {
            refused(table("DECFLOAT(3) PRIMARY KEY"), 1234, "numbers, texts, UUIDs or bytes");
        }

        @Test
        void uuidsAreOneRowAlsoAsText() throws SQLException {
            UUID id = UUID.randomUUID();
            oneFence(table("UUID PRIMARY KEY"), id.toString(), id);
        }
    }
}
