package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.FencedTableTest.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FencingToken;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim of {@code table/key}, by whatever guard or by hand, binds a fence in a column. */
@Tag("R12")
@Timeout(60)
class ClaimedRowTest {

    /** Databases that lock single rows. */
    abstract static class LockingRows extends ClaimedRowContract {

        /** The row is locked by plain SQL, and the claim comes while the old holder's statement waits for it. */
        @Test
        @Tag("R4")
        void aClaimWaitsForAnUpdateThatWaitsForItsRow() throws Exception {
            CompletableFuture<Boolean> update;
            CompletableFuture<String> claimed;
            try (Connection plain = place.begin()) {
                new Sql("UPDATE " + place.in("orders") + " SET status = 'plain' WHERE id = 42").run(plain);
                update = OnNewThread.supply(() -> {
                    try (Connection old = place.connect()) {
                        return orders.update(old, 42, stamp(33), Columns.set("status", "of 33"));
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                awaitBlocked(1);
                claimed = OnNewThread.supply(() -> {
                    guard.claim(RESOURCE, stamp(34));
                    return status();
                });
                awaitBlocked(2);
                assertThat(claimed).isNotDone();
                plain.commit();
            }

            assertThat(claimed.get(20, TimeUnit.SECONDS))
                    .as("what the claimer reads")
                    .isEqualTo("of 33");
            assertThat(update.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Nested
    class OnPostgres extends LockingRows {

        @Override
        GuardPlace newPlace() {
            return new PostgresPlace();
        }

        @Override
        void awaitBlocked(int waiting) {
            awaitCount("SELECT count(*) FROM pg_locks WHERE NOT granted", waiting);
        }

        @ParameterizedTest
        @ValueSource(strings = {"repeatable read", "serializable"})
        void aTransactionFromBeforeTheClaimIsAConflictAndThenStale(String level) throws SQLException {
            guard.claim(RESOURCE, stamp(33));
            try (PostgresPlace strict = new PostgresPlace(level);
                    Connection old = strict.begin()) {
                new Sql("SELECT count(*) FROM " + place.in("orders")).one(old, row -> row.getLong(1));

                guard.claim(RESOURCE, stamp(34));

                SQLException conflict = catchThrowableOfType(
                        SQLException.class, () -> orders.update(old, 42, stamp(33), Columns.set("status", "stale")));
                assertThat(conflict.getSQLState()).isEqualTo("40001");
                old.rollback();
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> orders.update(old, 42, stamp(33), Columns.set("status", "stale")));
                old.rollback();
            }
            assertThat(status()).isEqualTo("open");
        }

        /** Somebody without a fence makes the row between the update that finds none and the look for the reason. */
        @Test
        void aRowThatIsMadeMeanwhileIsUpdated() throws SQLException {
            place.execute("DELETE FROM " + place.in("orders"));
            AtomicInteger looks = new AtomicInteger();
            try (Connection connection = place.begin()) {
                assertThat(orders.update(connection, 7, stamp(3), Columns.none()))
                        .isFalse();
                Connection watched = (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                            if (method.getName().equals("prepareStatement")
                                    && String.valueOf(values[0]).startsWith("SELECT \"last_fence\"")
                                    && looks.incrementAndGet() == 1) {
                                place.execute(
                                        "INSERT INTO " + place.in("orders") + " (id, status) VALUES (42, 'made')");
                            }
                            return method.invoke(connection, values);
                        });

                assertThat(orders.update(watched, 42, stamp(3), Columns.set("status", "paid")))
                        .isTrue();
                connection.commit();
            }
            assertThat(looks).hasValue(1);
            assertThat(status()).isEqualTo("paid");
        }

        @Test
        void aTriggerThatTakesWritesAwayIsSaidAndNotRepeated() throws SQLException {
            place.execute("CREATE FUNCTION " + place.in("never")
                    + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$");
            place.execute("CREATE TRIGGER never BEFORE INSERT OR UPDATE ON " + place.in("orders")
                    + " FOR EACH ROW EXECUTE FUNCTION " + place.in("never") + "()");
            try (Connection connection = place.begin()) {
                SQLException suppressed = catchThrowableOfType(
                        SQLException.class,
                        () -> orders.update(connection, 42, stamp(1), Columns.set("status", "paid")));
                assertThat(suppressed.getMessage())
                        .contains("trigger", "row-level security policy", "a retry cannot help");
                assertThat(Products.named("PostgreSQL").fences().isConflict(suppressed))
                        .isFalse();
                Columns values = Columns.set("status", "new");
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> orders.insert(connection, 43, stamp(1), values))
                        .withMessageContaining("was not made");
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> orders.put(connection, 43, stamp(1), values))
                        .withMessageContaining("was not made");
                assertThatExceptionOfType(SQLException.class)
                        .as("there is such a row")
                        .isThrownBy(() -> orders.insert(connection, 42, stamp(1), values))
                        .withMessageContaining("was not made");
            }
        }

        /** As tables were divided before there were partitions. */
        @Test
        void aTriggerMayPutARowIntoAnotherTable() throws SQLException {
            place.execute("CREATE TABLE " + place.in("newer") + " () INHERITS (" + place.in("orders") + ")");
            place.execute("CREATE FUNCTION " + place.in("divide") + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " INSERT INTO " + place.in("newer") + " VALUES (NEW.*); RETURN NULL; END $$");
            place.execute("CREATE TRIGGER divide BEFORE INSERT ON " + place.in("orders")
                    + " FOR EACH ROW EXECUTE FUNCTION " + place.in("divide") + "()");
            try (Connection connection = place.begin()) {
                orders.insert(connection, 43, stamp(1), Columns.set("status", "new"));

                assertThat(orders.highest(connection, 43)).contains(FencingToken.of(1));
            }
        }
    }

    @Nested
    class OnSqlite extends ClaimedRowContract {
        @Override
        GuardPlace newPlace() {
            return new SqlitePlace();
        }
    }

    @Nested
    class OnH2 extends ClaimedRowContract {
        @Override
        GuardPlace newPlace() {
            return new H2Place();
        }
    }

    @Nested
    class OnMariaDb extends LockingRows {

        @Override
        GuardPlace newPlace() {
            return new MariaDbPlace();
        }

        @Override
        void awaitBlocked(int waiting) {
            awaitCount("SELECT count(*) FROM information_schema.innodb_lock_waits", waiting);
        }

        /** The row is made after the transaction's snapshot, by plain SQL that keeps the column, or under the guard. */
        @ParameterizedTest
        @CsvSource({"0, true", "0, false", "1, true", "1, false"})
        void aReasonIsNeverReadFromASnapshot(int snapshotIsolation, boolean byGuard) throws SQLException {
            try (MariaDbPlace reader = new MariaDbPlace(
                            "TRANSACTION_REPEATABLE_READ",
                            "&sessionVariables=innodb_snapshot_isolation=" + snapshotIsolation);
                    Connection old = reader.begin()) {
                new Sql("SELECT count(*) FROM " + place.in("orders")).one(old, row -> row.getLong(1));
                if (byGuard) {
                    try (Connection newer = place.begin()) {
                        orders.put(newer, 43, stamp(8), Columns.set("status", "of 8"));
                        newer.commit();
                    }
                } else {
                    place.execute(
                            "INSERT INTO " + place.in("orders") + " (id, status, last_fence) VALUES (43, 'of 8', 8)");
                }

                refusedOrConflict(old, snapshotIsolation, () -> orders.update(old, 43, stamp(1), Columns.none()));
                new Sql("SELECT count(*) FROM " + place.in("orders")).one(old, row -> row.getLong(1));
                refusedAtOnce(old, () -> orders.claim(old, 43, stamp(1)));
                refusedAtOnce(old, () -> orders.delete(old, 43, stamp(1)));
            }
        }

        private void refusedOrConflict(Connection connection, int snapshotIsolation, ThrowingCallable write)
                throws SQLException {
            Throwable refusal = catchThrowable(write);
            connection.rollback();
            if (snapshotIsolation == 1) {
                assertThat(refusal)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                conflict -> assertThat(Products.named("MariaDB")
                                                .fences()
                                                .isConflict(conflict))
                                        .isTrue());
            } else {
                assertThat(refusal).isInstanceOf(StaleTokenException.class);
            }
        }

        private void refusedAtOnce(Connection connection, ThrowingCallable write) throws SQLException {
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(write);
            connection.rollback();
        }

        /** With snapshot isolation a row that changed since the transaction looked is error 1020, which is repeated. */
        @Test
        void theGuardsOwnTransactionIsRepeatedAfterError1020() throws SQLException {
            try (MariaDbPlace strict =
                    new MariaDbPlace("TRANSACTION_REPEATABLE_READ", "&sessionVariables=innodb_snapshot_isolation=1")) {
                JdbcFenceGuard own = JdbcFenceGuard.on(strict.source(), place.options());
                Sql read = new Sql("SELECT status FROM " + place.in("orders") + " WHERE id = 42");
                Sql write = new Sql("UPDATE " + place.in("orders") + " SET status = ?1 WHERE id = 42");
                AtomicInteger runs = new AtomicInteger();

                own.call(RESOURCE, stamp(1), connection -> {
                    String before =
                            read.one(connection, row -> row.getString(1)).orElseThrow();
                    if (runs.incrementAndGet() == 1) {
                        place.execute("UPDATE " + place.in("orders") + " SET status = 'meanwhile' WHERE id = 42");
                    }
                    return write.run(connection, before + "+");
                });

                assertThat(runs).hasValue(2);
                assertThat(status()).isEqualTo("meanwhile+");
            }
        }
    }
}
