package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.FencedTableTest.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A claim of {@code table/key}, by whatever guard or by hand, binds a fence in a column, on every database. */
@Tag("R12")
@Timeout(60)
abstract class ClaimedRowContract {

    static final String RESOURCE = "orders/42";

    final GuardPlace place = newPlace();
    final JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
    final FencedTable orders =
            FencedTable.of(place.in("orders"), "id", "last_fence").with(place.options());

    ClaimedRowContract() {
        guard.schema().installSchema();
        place.execute("CREATE TABLE " + place.in("orders")
                + " (id BIGINT PRIMARY KEY, status VARCHAR(20), last_fence BIGINT DEFAULT 0 NOT NULL)");
        place.execute("INSERT INTO " + place.in("orders") + " (id, status) VALUES (42, 'open')");
    }

    abstract GuardPlace newPlace();

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void aClaimInTheTableOfFencesRefusesEveryStaleWriteOfTheRow() throws SQLException {
        guard.claim(RESOURCE, stamp(9));

        try (Connection connection = place.connect()) {
            assertThat(orders.check(connection, 42, stamp(3))).isInstanceOf(Verdict.Stale.class);
            assertThat(orders.highest(connection, 42)).contains(FencingToken.of(9));
            assertThatExceptionOfType(StaleTokenException.class)
                    .as("in auto-commit")
                    .isThrownBy(() -> orders.update(connection, 42, stamp(3), Columns.set("status", "stale")));
            assertThat(connection.getAutoCommit()).isTrue();
        }
        try (Connection connection = place.begin()) {
            refused(connection, () -> orders.update(connection, 42, stamp(3), Columns.set("status", "stale")));
            refused(connection, () -> orders.put(connection, 42, stamp(3), Columns.set("status", "stale")));
            refused(connection, () -> orders.delete(connection, 42, stamp(3)));
            refused(connection, () -> orders.claim(connection, 42, stamp(3)));
        }
        assertThat(status()).isEqualTo("open");
        try (Connection connection = place.connect()) {
            assertThat(orders.update(connection, 42, stamp(9), Columns.set("status", "paid")))
                    .isTrue();
        }
        assertThat(status()).isEqualTo("paid");
        place.execute("UPDATE " + place.in("orders") + " SET last_fence = 12");
        try (Connection connection = place.connect()) {
            assertThat(orders.highest(connection, 42)).contains(FencingToken.of(12));
        }
        guard.claim(RESOURCE, stamp(14));
        try (Connection connection = place.connect()) {
            assertThat(orders.check(connection, 42, stamp(11)))
                    .as("what a write would be told")
                    .isEqualTo(new Verdict.Stale(FencingToken.of(14)));
        }
    }

    private static void refused(Connection connection, ThrowingCallable write) throws SQLException {
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(write);
        connection.rollback();
    }

    @Test
    @Tag("R11")
    void anUpdateJoinsATransactionThatSqlBegan() throws SQLException {
        try (Connection connection = place.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            assertThat(orders.update(connection, 42, stamp(9), Columns.set("status", "paid")))
                    .isTrue();
            statement.execute("ROLLBACK");
        }

        assertThat(status()).isEqualTo("open");
        assertThat(guard.highest(RESOURCE)).isEmpty();
    }

    @Test
    void aWriteOfTheRowBindsTheGuardsOfTheTableOfFences() throws SQLException {
        try (Connection connection = place.connect()) {
            orders.update(connection, 42, stamp(9), Columns.set("status", "paid"));
        }

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.call(RESOURCE, stamp(3), connection -> 0));
        assertThat(guard.highest(RESOURCE)).contains(stamp(9));
    }

    @Test
    @Tag("R5")
    void aRowThatPlainSqlDeletedAndMadeAgainKeepsItsFence() throws SQLException {
        try (Connection connection = place.connect()) {
            orders.update(connection, 42, stamp(5), Columns.set("status", "paid"));
            place.execute("DELETE FROM " + place.in("orders"));
            place.execute("INSERT INTO " + place.in("orders") + " (id, status) VALUES (42, 'new')");

            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> orders.update(connection, 42, stamp(3), Columns.set("status", "stale")));
        }
        assertThat(status()).isEqualTo("new");
    }

    @Test
    @Tag("R7")
    void aTokenOfAnotherLockIsRefusedAlsoWhereTheRowKeepsNoKey() throws SQLException {
        try (Connection connection = place.connect()) {
            orders.update(connection, 42, stamp(5), Columns.none());

            assertThatExceptionOfType(ForeignTokenException.class)
                    .isThrownBy(() -> orders.update(
                            connection,
                            42,
                            new FenceStamp(LockKey.of("another"), FencingToken.of(99)),
                            Columns.none()));
        }
    }

    @Test
    @Tag("R4")
    void aClaimWaitsForAnUpdateThatIsNotCommittedYet() throws Exception {
        CompletableFuture<String> seen;
        try (Connection old = place.begin()) {
            orders.update(old, 42, stamp(33), Columns.set("status", "of 33"));
            seen = OnNewThread.supply(() -> {
                guard.claim(RESOURCE, stamp(34));
                return status();
            });
            awaitBlocked(1);
            assertThat(seen).isNotDone();
            old.commit();
        }

        assertThat(seen.get(20, TimeUnit.SECONDS)).as("what the claimer reads").isEqualTo("of 33");
        try (Connection connection = place.connect()) {
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> orders.update(connection, 42, stamp(33), Columns.none()));
        }
    }

    @Test
    void aTransactionOfTheSameThreadThatHoldsTheRowsFenceIsNotWaitedFor() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.call(RESOURCE, stamp(34), held -> {
                    try (Connection another = place.connect()) {
                        return orders.update(another, 42, stamp(34), Columns.none());
                    }
                }))
                .withMessageContaining("would wait for the first one forever");
    }

    @Test
    void withoutTheTableOfFencesTheErrorSaysHowToMakeIt() throws SQLException {
        FencedTable lost = orders.with(GuardOptions.defaults().withTable(place.in("no_fences")));
        try (Connection connection = place.connect()) {
            SQLException missing = catchThrowableOfType(
                    SQLException.class, () -> lost.update(connection, 42, stamp(1), Columns.none()));
            assertThat(missing.getMessage()).contains("no_fences is missing", "installSchema()");
        }
    }

    /** Waits until that many wait for a lock, where the database can tell. */
    void awaitBlocked(int waiting) {}

    final String status() {
        try (Connection connection = place.connect()) {
            return new Sql("SELECT status FROM " + place.in("orders") + " WHERE id = 42")
                    .one(connection, row -> row.getString(1))
                    .orElse("gone");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    final void awaitCount(String query, int wanted) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            try (Connection connection = place.connect()) {
                return new Sql(query).one(connection, row -> row.getLong(1)).orElseThrow() >= wanted;
            }
        });
    }
}
