package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows with a column for the fence. */
@Timeout(60)
class FencedTableTest {

    /** What holds on every database. */
    abstract static class Everywhere {

        final GuardPlace place = newPlace();
        final FencedTable orders =
                FencedTable.of(place.in("orders"), "id", "last_fence").with(place.options());

        Everywhere() {
            JdbcFenceGuard.on(place.source(), place.options()).schema().installSchema();
            place.execute(
                    "CREATE TABLE " + place.in("orders") + " (id BIGINT PRIMARY KEY, status VARCHAR(20),"
                            + " last_fence BIGINT, text_fence VARCHAR(15) DEFAULT '' NOT NULL,"
                            + " strict_fence BIGINT DEFAULT 0 NOT NULL, fence_key VARCHAR(100), \"Odd \"\" Name\" VARCHAR(20))");
            place.execute("INSERT INTO " + place.in("orders") + " (id, status) VALUES (42, 'open')");
        }

        abstract GuardPlace newPlace();

        @AfterEach
        void close() {
            place.close();
        }

        @Test
        @Tag("R6")
        void tellsStaleFromNoSuchRow() throws SQLException {
            try (Connection connection = place.connect()) {
                assertThat(orders.update(connection, 42, stamp(34), Columns.set("status", "paid")))
                        .isTrue();
                assertThat(orders.update(connection, 43, stamp(34), Columns.set("status", "paid")))
                        .isFalse();
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> orders.update(connection, 42, stamp(33), Columns.set("status", "stale")))
                        .satisfies(refusal -> {
                            assertThat(refusal.resource()).endsWith("orders/42");
                            assertThat(refusal.gap()).isEqualTo(1);
                        });
                assertThat(status(connection)).isEqualTo("paid");
            }
        }

        @Test
        @Tag("R6")
        void acceptsTheFirstWriteWhateverAnUnfencedRowHolds() throws SQLException {
            FencedTable strict = FencedTable.of(place.in("orders"), "id", "strict_fence")
                    .withNames(id -> "strict " + id)
                    .with(place.options());
            FencedTable text = FencedTable.of(place.in("orders"), "id", "text_fence")
                    .withTextFences()
                    .withNames(id -> "text " + id)
                    .with(place.options());
            try (Connection connection = place.connect()) {
                for (FencedTable table : new FencedTable[] {orders, strict, text}) {
                    assertThat(table.highest(connection, 42)).isEmpty();
                    assertThat(table.update(connection, 42, stamp(9), Columns.none()))
                            .isTrue();
                    assertThat(table.update(connection, 42, stamp(10), Columns.none()))
                            .isTrue();
                    assertThatExceptionOfType(StaleTokenException.class)
                            .isThrownBy(() -> table.update(connection, 42, stamp(9), Columns.none()));
                    assertThat(table.highest(connection, 42)).contains(FencingToken.of(10));
                }
                assertThat(new Sql("SELECT text_fence FROM " + place.in("orders"))
                                .one(connection, row -> row.getString(1)))
                        .contains("000000000000010");
            }
        }

        @Test
        @Tag("R5")
        void refusesAStaleInsertAfterADelete() throws SQLException {
            try (Connection connection = place.begin()) {
                assertThat(orders.delete(connection, 42, stamp(34))).isTrue();
                assertThat(orders.delete(connection, 42, stamp(34))).isFalse();
                connection.commit();
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> orders.insert(connection, 42, stamp(33), Columns.set("status", "undead")));
                connection.rollback();
                assertThatExceptionOfType(StaleTokenException.class)
                        .as("an update of a row that a newer holder deleted")
                        .isThrownBy(() -> orders.update(connection, 42, stamp(33), Columns.set("status", "undead")));
                connection.rollback();

                orders.insert(connection, 42, stamp(35), Columns.of(Map.of("status", "new")));
                connection.commit();
                assertThat(status(connection)).isEqualTo("new");
                connection.rollback();
            }
        }

        @Test
        void insertsAndDeletesOnlyInATransaction() throws SQLException {
            try (Connection connection = place.connect()) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> orders.insert(connection, 1, stamp(1), Columns.none()))
                        .withMessageContaining("auto-commit");
                assertThatIllegalStateException().isThrownBy(() -> orders.delete(connection, 42, stamp(1)));
                assertThatIllegalStateException().isThrownBy(() -> orders.claim(connection, 42, stamp(1)));
            }
        }

        @Test
        @Tag("R7")
        void refusesATokenOfAnotherLockWhereTheKeyIsKept() throws SQLException {
            FencedTable keyed = orders.withLockKeys("fence_key");
            try (Connection connection = place.connect()) {
                keyed.update(connection, 42, stamp(34), Columns.set("status", "paid"));

                assertThatExceptionOfType(ForeignTokenException.class)
                        .isThrownBy(() -> keyed.update(
                                connection,
                                42,
                                new FenceStamp(LockKey.of("another"), FencingToken.of(99)),
                                Columns.set("status", "foreign")));
                assertThat(status(connection)).isEqualTo("paid");
            }
        }

        /** As after the table of fences was lost, or by rows that came from another database. */
        @Test
        @Tag("R7")
        void refusesATokenOfAnotherLockWhereOnlyTheColumnKnowsTheKey() throws SQLException {
            FencedTable keyed = orders.withLockKeys("fence_key");
            place.execute("UPDATE " + place.in("orders") + " SET last_fence = 34, fence_key = 'another' WHERE id = 42");
            try (Connection connection = place.begin()) {
                assertThatExceptionOfType(ForeignTokenException.class)
                        .isThrownBy(() -> keyed.update(connection, 42, stamp(99), Columns.set("status", "foreign")));
                assertThatExceptionOfType(ForeignTokenException.class)
                        .isThrownBy(() -> keyed.claim(connection, 42, stamp(99)));
                assertThat(status(connection)).isNotEqualTo("foreign");
            }
        }

        /** As after a rebind, which knows no column. */
        @Test
        @Tag("R7")
        void takesTheNewLockOfARowOnceItsColumnsAreEmpty() throws SQLException {
            FencedTable keyed = orders.withLockKeys("fence_key");
            try (Connection connection = place.connect()) {
                keyed.update(connection, 42, stamp(34), Columns.set("status", "paid"));
                new Sql("UPDATE " + place.in("fenceline_fences") + " SET lock_key = ?1, highest = 1, written = 0")
                        .run(connection, Products.of(connection).fences().key("new"));
                FenceStamp first = new FenceStamp(LockKey.of("new"), FencingToken.of(1));

                assertThatExceptionOfType(ForeignTokenException.class)
                        .isThrownBy(() -> keyed.update(connection, 42, first, Columns.set("status", "sent")))
                        .withMessageContaining("if 'fenceline guard rebind' has moved the resource, set this column and"
                                + " last_fence of the row to NULL");
                new Sql("UPDATE " + place.in("orders") + " SET last_fence = NULL, fence_key = NULL WHERE id = 42")
                        .run(connection);
                assertThat(keyed.update(connection, 42, first, Columns.set("status", "sent")))
                        .isTrue();
            }
        }

        @Test
        void tellsWhichRowHasAFenceThatIsNoToken() throws SQLException {
            place.execute("UPDATE " + place.in("orders") + " SET last_fence = 1700000000000000, text_fence = '12'");
            FencedTable text = FencedTable.of(place.in("orders"), "id", "text_fence")
                    .withTextFences()
                    .with(place.options());
            try (Connection connection = place.connect()) {
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> orders.update(connection, 42, stamp(34), Columns.none()))
                        .withMessageContaining("column last_fence of " + place.in("orders")
                                + " holds '1700000000000000' in row orders/42")
                        .withMessageContaining("set it to NULL or 0");
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> text.update(connection, 42, stamp(34), Columns.none()))
                        .withMessageContaining("holds '12' in row orders/42");
            }
        }

        @Test
        @Tag("R1")
        void readsTokensWithDecimalPlaces() throws SQLException {
            place.execute("ALTER TABLE " + place.in("orders") + " ADD COLUMN exact NUMERIC(20,2)");
            FencedTable exact =
                    FencedTable.of(place.in("orders"), "id", "exact").with(place.options());
            try (Connection connection = place.connect()) {
                exact.update(connection, 42, stamp(34), Columns.none());
                place.execute("UPDATE " + place.in("orders") + " SET exact = 35");
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> exact.update(connection, 42, stamp(34), Columns.none()));
            }
        }

        /** The column knows nothing of the claim. */
        @Test
        @Tag("R1")
        @Tag("R7")
        void refusesWhomTheFenceRefusesThoughTheSameTransactionHasRaisedIt() throws SQLException {
            JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
            FenceStamp foreign = new FenceStamp(LockKey.of("another"), FencingToken.of(99));
            try (Connection connection = place.begin()) {
                guard.enter(connection, "orders/42", stamp(34));
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> orders.update(connection, 42, stamp(33), Columns.set("status", "stale")));
                connection.rollback();
                guard.enter(connection, "orders/42", stamp(34));
                assertThatExceptionOfType(ForeignTokenException.class)
                        .isThrownBy(() -> orders.put(connection, 42, foreign, Columns.set("status", "foreign")));
                connection.rollback();
                orders.update(connection, 42, stamp(99), Columns.set("status", "paid"));
                assertThatExceptionOfType(ForeignTokenException.class)
                        .isThrownBy(() -> orders.update(connection, 42, foreign, Columns.set("status", "foreign")));
                connection.rollback();
            }
        }

        @Test
        void saysThatTheTableOfFencesIsMissing() throws SQLException {
            FencedTable unfenced = orders.with(GuardOptions.defaults().withTable(place.in("no_fences")));
            try (Connection connection = place.connect()) {
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> unfenced.update(connection, 42, stamp(34), Columns.none()))
                        .withMessageContaining("installSchema");
            }
        }

        /** It would wait for the thread that waits for it. */
        @Test
        void doesNotUpdateARowThatTheThreadWritesInAnotherTransaction() throws SQLException {
            JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
            guard.<SQLException>write("orders/42", stamp(34), outer -> {
                try (Connection another = place.connect()) {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> orders.update(another, 42, stamp(34), Columns.none()));
                }
            });
        }

        @Test
        @Tag("R2")
        void letsAGrantUpdateOnceAndRefusesToClaimForIt() throws SQLException {
            FencedTable once = orders.with(place.options().withRule(FenceRule.ONCE));
            try (Connection connection = place.begin()) {
                once.update(connection, 42, stamp(34), Columns.set("status", "paid"));
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> once.update(connection, 42, stamp(34), Columns.set("status", "twice")));
                assertThatExceptionOfType(UnsupportedOperationException.class)
                        .isThrownBy(() -> once.claim(connection, 42, stamp(35)))
                        .withMessageContaining("last_fence")
                        .withMessageContaining("AT_LEAST");
                connection.rollback();
            }
        }

        @Test
        @Tag("R2")
        void aGrantThatHasWrittenARowByAnotherGuardDoesNotUpdateItAsWell() throws SQLException {
            GuardOptions rule = place.options().withRule(FenceRule.ONCE);
            JdbcFenceGuard.on(place.source(), rule).write("orders/42", stamp(34), connection -> {});
            try (Connection connection = place.connect()) {
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() ->
                                orders.with(rule).update(connection, 42, stamp(34), Columns.set("status", "twice")));
            }
        }

        @Test
        @Tag("R2")
        void aGrantThatHasWrittenARowByPlainSqlDoesNotDeleteItAsWell() throws SQLException {
            FencedTable once = orders.with(place.options().withRule(FenceRule.ONCE));
            place.execute("UPDATE " + place.in("orders") + " SET last_fence = 34 WHERE id = 42");
            try (Connection connection = place.begin()) {
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> once.delete(connection, 42, stamp(34)));
                connection.rollback();
                assertThat(once.delete(connection, 42, stamp(35))).isTrue();
                connection.commit();
            }
        }

        @Test
        void quotesNamesAndTakesNoColumnThatItSetsItself() throws SQLException {
            try (Connection connection = place.connect()) {
                orders.update(
                        connection,
                        42,
                        stamp(1),
                        Columns.set("Odd \" Name", "x").and("status", null));

                assertThat(new Sql("SELECT \"Odd \"\" Name\" FROM " + place.in("orders"))
                                .one(connection, row -> row.getString(1)))
                        .contains("x");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> orders.update(connection, 42, stamp(1), Columns.set("last_fence", 7)))
                        .withMessageContaining("last_fence");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> Columns.set("status", 1).and("status", 2));
            }
        }

        private String status(Connection connection) throws SQLException {
            return new Sql("SELECT status FROM " + place.in("orders") + " WHERE id = 42")
                    .one(connection, row -> row.getString(1))
                    .orElseThrow();
        }
    }

    @Nested
    class OnPostgres extends Everywhere {
        @Override
        GuardPlace newPlace() {
            return new PostgresPlace();
        }
    }

    @Nested
    class OnSqlite extends Everywhere {
        @Override
        GuardPlace newPlace() {
            return new SqlitePlace();
        }
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }
}
