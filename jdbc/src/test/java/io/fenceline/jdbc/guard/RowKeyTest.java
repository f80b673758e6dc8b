package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.FencedTableTest.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.guard.StaleTokenException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows have one fence for all keys that the database calls equal, and tables whose keys have no such thing are refused. */
@Tag("R10")
@Timeout(60)
class RowKeyTest {

    private record Pair(int one, int two) {}

    abstract static class Everywhere {

        final GuardPlace place = newPlace();

        Everywhere() {
            JdbcFenceGuard.on(place.source(), place.options()).schema().installSchema();
        }

        abstract GuardPlace newPlace();

        abstract String bytesType();

        /** A type of texts that are equal though they differ in case. */
        abstract String looseType();

        @AfterEach
        void close() {
            place.close();
        }

        FencedTable table(String key) {
            return table(key, "BIGINT");
        }

        FencedTable table(String key, String fence) {
            place.execute("CREATE TABLE " + place.in("things") + " (id " + key + ", status VARCHAR(20), last_fence "
                    + fence + ")");
            return FencedTable.of(place.in("things"), "id", "last_fence").with(place.options());
        }

        void oneFence(FencedTable table, Object deleted, Object inserted) throws SQLException {
            try (Connection connection = place.begin()) {
                table.delete(connection, deleted, stamp(5));
                connection.commit();
                assertThatExceptionOfType(StaleTokenException.class)
                        .as("%s after %s", inserted, deleted)
                        .isThrownBy(() -> table.insert(connection, inserted, stamp(3), Columns.none()));
                connection.rollback();
                table.put(connection, inserted, stamp(6), Columns.set("status", "new"));
                assertThat(table.update(connection, deleted, stamp(6), Columns.set("status", "newer")))
                        .isTrue();
                connection.commit();
            }
        }

        void refused(FencedTable table, Object key, String words) throws SQLException {
            try (Connection connection = place.begin()) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> table.update(connection, key, stamp(1), Columns.none()))
                        .withMessageContaining(words);
                connection.rollback();
            }
        }

        @Test
        void equalNumbersAreOneRowHoweverTheyAreWritten() throws SQLException {
            FencedTable table = table("NUMERIC(10,2) PRIMARY KEY");

            oneFence(table, new BigDecimal("42.00"), 42);
            oneFence(table, "043", new BigDecimal("43.0"));
            oneFence(table, new BigDecimal("44.50"), "44.5");

            refused(table, new BigDecimal("42.001"), "round");
            refused(table, "forty-two", "forty-two");
        }

        @Test
        void wholeNumbersAreOneRowAlsoAsText() throws SQLException {
            FencedTable table = table("BIGINT PRIMARY KEY");

            oneFence(table, "042", 42L);
            oneFence(table, BigInteger.valueOf(43), (short) 43);

            refused(table, "42.5", "round");
            refused(table, true, "compared");
        }

        @Test
        void bytesAreNamedByTheirContent() throws SQLException {
            FencedTable table = table(bytesType() + " PRIMARY KEY");

            oneFence(table, new byte[] {1, 2, (byte) 0xff}, new byte[] {1, 2, (byte) 0xff});
            assertThatIllegalArgumentException().isThrownBy(() -> oneFence(table, "0x0102ff", "0x0102ff"));
        }

        @Test
        void aNumberForATextColumnIsThatText() throws SQLException {
            FencedTable table = table(place.textType(40) + " PRIMARY KEY");

            oneFence(table, 42, "42");
            UUID id = UUID.randomUUID();
            oneFence(table, id, id.toString());
            try (Connection connection = place.connect()) {
                assertThat(table.highest(connection, "042")).isEmpty();
            }
        }

        @Test
        void aKeyWithoutACanonicalTextIsRefusedBeforeTheDatabaseIsAsked() throws SQLException {
            FencedTable table = table("BIGINT PRIMARY KEY");
            Connection closed = place.connect();
            closed.close();

            for (Object key : List.of(new Pair(1, 2), 4.2, new StringBuilder("42"))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> table.update(closed, key, stamp(1), Columns.none()))
                        .withMessageContaining("no canonical text");
            }
        }

        @Test
        void textsThatTheDatabaseComparesLooselyAreNoKeys() throws SQLException {
            refused(table(looseType() + " PRIMARY KEY"), "a", "byte by byte");
        }

        @Test
        void aKeyThatNamesSeveralRowsIsRefused() throws SQLException {
            refused(table("BIGINT"), 1, "does not name one row");
            place.execute("DROP TABLE " + place.in("things"));
            FencedTable composite = table("BIGINT NOT NULL, part INTEGER NOT NULL", "BIGINT, PRIMARY KEY (id, part)");
            refused(composite, 1, "the columns id, part");
        }

        @Test
        void aUniqueIndexIsAsGoodAsAPrimaryKey() throws SQLException {
            FencedTable table = table("BIGINT NOT NULL");
            place.execute("CREATE UNIQUE INDEX things_id ON " + place.in("things") + " (id)");

            oneFence(table, 42, "042");
        }

        @Test
        void aColumnThatCannotHoldTokensAsTheyAreMeantIsRefused() throws SQLException {
            FencedTable number = table("BIGINT PRIMARY KEY");
            refused(number.withTextFences(), 1, "withTextFences");
            place.execute("DROP TABLE " + place.in("things"));
            refused(table("BIGINT PRIMARY KEY", "VARCHAR(15)"), 1, "withTextFences");
            place.execute("DROP TABLE " + place.in("things"));
            refused(table("BIGINT PRIMARY KEY", "VARCHAR(14)").withTextFences(), 1, "15");
        }

        @Test
        void theKeyAndTheFenceAreSetByNobodyElseInWhateverCase() throws SQLException {
            FencedTable table = table("BIGINT PRIMARY KEY");

            try (Connection connection = place.connect()) {
                for (String name : List.of("ID", "Last_Fence", "id")) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> table.update(connection, 1, stamp(1), Columns.set(name, 99)))
                            .withMessageContaining(name);
                }
            }
        }
    }

    @Nested
    class OnPostgres extends Everywhere {

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
    class OnSqlite extends Everywhere {

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
    class OnMariaDb extends Everywhere {

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
    class OnH2 extends Everywhere {

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
        void spacesAtTheEndOfACharDoNotCount() throws SQLException {
            oneFence(table("CHAR(5) PRIMARY KEY"), "a  ", "a");
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
