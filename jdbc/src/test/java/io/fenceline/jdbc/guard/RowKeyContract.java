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
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows have one fence for all keys that a database calls equal, and tables whose keys have no such thing are refused. */
@Tag("R10")
@Timeout(60)
abstract class RowKeyContract {

    record Pair(int one, int two) {}

    final GuardPlace place = newPlace();

    RowKeyContract() {
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
        place.execute("CREATE TABLE " + place.in("things") + " (id " + key + ", status VARCHAR(20), last_fence " + fence
                + ")");
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

    void twoFences(FencedTable table, Object one, Object other) throws SQLException {
        try (Connection connection = place.begin()) {
            table.put(connection, one, stamp(5), Columns.none());
            assertThat(table.highest(connection, one)).isPresent();
            assertThat(table.highest(connection, other)).isEmpty();
            connection.rollback();
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
