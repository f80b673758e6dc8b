package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.jdbc.product.Products;
import io.fenceline.jdbc.sql.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteDataSource;

/** Transactions under a fence: the guard's own, and the caller's. */
@Tag("R3")
@Timeout(60)
class GuardedTransactionTest {

    private static final String RESOURCE = "account:7";

    /** What holds on every database. */
    abstract static class Everywhere {

        final GuardPlace place = newPlace();
        final JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
        final Sql insert = new Sql("INSERT INTO " + place.in("lines") + " (id, text) VALUES (?1, ?2)");

        Everywhere() {
            guard.schema().installSchema();
            place.execute("CREATE TABLE " + place.in("lines") + " (id INTEGER PRIMARY KEY, text VARCHAR(100))");
            place.execute("CREATE TABLE " + place.in("totals") + " (id INTEGER PRIMARY KEY, total INTEGER)");
            place.execute("INSERT INTO " + place.in("totals") + " (id, total) VALUES (1, 0)");
        }

        abstract GuardPlace newPlace();

        @AfterEach
        void close() {
            place.close();
        }

        /** A violation is the body's error also where it is found at the commit. */
        final void tellsADeferredConstraint() throws SQLException {
            place.execute("CREATE TABLE " + place.in("items") + " (line INTEGER REFERENCES " + place.in("lines")
                    + " (id) DEFERRABLE INITIALLY DEFERRED)");
            Sql orphan = new Sql("INSERT INTO " + place.in("items") + " (line) VALUES (99)");

            SQLException refused = catchThrowableOfType(
                    SQLException.class, () -> guard.write(RESOURCE, stamp(34), connection -> orphan.run(connection)));

            assertThat(refused.getMessage()).containsIgnoringCase("foreign key");
            assertThat(number("SELECT count(*) FROM " + place.in("items"))).isZero();
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        void protectsAllTablesThatAreWrittenInOneTransaction() throws SQLException {
            guard.call(RESOURCE, stamp(34), connection -> {
                insert.run(connection, 1, "first");
                return new Sql("UPDATE " + place.in("totals") + " SET total = total + 1").run(connection);
            });

            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(
                            () -> guard.write(RESOURCE, stamp(33), connection -> insert.run(connection, 2, "stale")));

            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
            assertThat(number("SELECT total FROM " + place.in("totals"))).isEqualTo(1);
        }

        @Test
        void rollsEverythingBackWhenTheBodyFails() throws SQLException {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.write(RESOURCE, stamp(34), connection -> {
                        insert.run(connection, 1, "first");
                        throw new IllegalStateException("no money");
                    }))
                    .withMessage("no money");
            SQLException duplicate = catchThrowableOfType(
                    SQLException.class,
                    () -> guard.call(RESOURCE, stamp(34), connection -> {
                        insert.run(connection, 1, "first");
                        return insert.run(connection, 1, "again");
                    }));

            assertThat(duplicate.getMessage()).isNotBlank();
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        void commitsNothingWhereTheRollbackFailsToo() throws SQLException {
            JdbcFenceGuard stuck = JdbcFenceGuard.on(failingToRollBack(place.source()), place.options());

            assertThatIllegalStateException()
                    .isThrownBy(() -> stuck.write(RESOURCE, stamp(34), connection -> {
                        insert.run(connection, 1, "first");
                        throw new IllegalStateException("no money");
                    }))
                    .withMessage("no money");

            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        void letsTheBodyNotEndTheTransaction() throws SQLException {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                        insert.run(connection, 1, "first");
                        connection.commit();
                        return 0;
                    }))
                    .withMessageContaining("commit()");

            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        }

        @Test
        void joinsATransactionThatTheCallerHasAndEndsWithIt() throws SQLException {
            try (Connection connection = place.begin()) {
                guard.enter(connection, RESOURCE, stamp(34));
                guard.enter(connection, RESOURCE, stamp(34));
                insert.run(connection, 1, "first");
                connection.rollback();
                assertThat(guard.highest(RESOURCE)).isEmpty();

                guard.enter(connection, RESOURCE, stamp(34));
                insert.run(connection, 1, "first");
                guard.claim(connection, "another", stamp(35));
                connection.commit();
            }

            assertThat(guard.highest(RESOURCE)).contains(stamp(34));
            assertThat(guard.highest("another")).contains(stamp(35));
            try (Connection connection = place.begin()) {
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> guard.enter(connection, RESOURCE, stamp(33)));
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> guard.claim(connection, RESOURCE, stamp(33)));
                connection.rollback();
            }
        }

        @Test
        void joinsNothingWhereEachStatementCommitsByItself() throws SQLException {
            try (Connection connection = place.connect()) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> guard.enter(connection, RESOURCE, stamp(34)))
                        .withMessageContaining("setAutoCommit(false)");
                assertThatIllegalStateException()
                        .isThrownBy(() -> guard.claim(connection, RESOURCE, stamp(34)))
                        .withMessageContaining("auto-commit");
            }
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        void tellsThatACommitMayHaveHappenedWhenItsAnswerIsLost() throws SQLException {
            JdbcFenceGuard unlucky = JdbcFenceGuard.on(losingAnswersToCommits(place.source()), place.options());

            BackendException lost = catchThrowableOfType(
                    BackendException.class,
                    () -> unlucky.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "first")));

            assertThat(lost.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
        }

        @Test
        @Tag("R4")
        void aClaimWaitsForTheTransactionThatRunsAndALaterOneIsRefused() throws Exception {
            CountDownLatch written = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            Future<Integer> old = OnNewThread.supply(() -> {
                try {
                    return guard.call(RESOURCE, stamp(33), connection -> {
                        int rows = insert.run(connection, 1, "of the old holder");
                        written.countDown();
                        assertThat(await(goOn)).isTrue();
                        return rows;
                    });
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(await(written)).isTrue();
            CompletableFuture<Long> claim = OnNewThread.supply(() -> {
                guard.claim(RESOURCE, stamp(34));
                return number("SELECT count(*) FROM " + place.in("lines"));
            });
            awaitBlocked();
            assertThat(claim).isNotDone();

            goOn.countDown();

            assertThat(claim.get(20, TimeUnit.SECONDS))
                    .as("lines seen after the claim")
                    .isEqualTo(1);
            assertThat(old.get()).isEqualTo(1);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(
                            () -> guard.write(RESOURCE, stamp(33), connection -> insert.run(connection, 2, "stale")));
        }

        @Test
        @Tag("R11")
        void writesInNoTransactionOfSomebodyElseAlsoIfNothingIsBegunYet() throws SQLException {
            try (Connection callers = place.begin()) {
                JdbcFenceGuard bound = JdbcFenceGuard.on(BoundDataSource.to(callers), place.options());

                BackendException refused = catchThrowableOfType(
                        BackendException.class,
                        () -> bound.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "first")));
                assertThat(refused).hasMessageContaining("enter(connection, resource, stamp)");
                assertThat(refused.effect()).isEqualTo(Effect.NONE);
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> bound.claim(RESOURCE, stamp(34)))
                        .withMessageContaining("auto-commit is off");

                insert.run(callers, 1, "the caller's");
                assertThatExceptionOfType(BackendException.class).isThrownBy(() -> bound.claim(RESOURCE, stamp(34)));
                callers.rollback();
            }
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        @Tag("R2")
        void countsNoClaimOfAKnownResourceAsTheOneWriteOfAGrant() throws SQLException {
            JdbcFenceGuard once =
                    JdbcFenceGuard.on(place.source(), place.options().withRule(FenceRule.ONCE));
            once.call(RESOURCE, stamp(33), connection -> 0);
            once.claim(RESOURCE, stamp(34));

            once.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "the one"));

            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(
                            () -> once.write(RESOURCE, stamp(34), connection -> insert.run(connection, 2, "again")));
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
        }

        /** Not every pool resets what it lends. */
        @Test
        void givesConnectionsBackInAutoCommit() throws SQLException {
            try (Connection connection = place.source().getConnection()) {
                JdbcFenceGuard bound = JdbcFenceGuard.on(BoundDataSource.to(connection), place.options());

                bound.write(RESOURCE, stamp(34), own -> insert.run(own, 1, "first"));
                assertThat(connection.getAutoCommit()).isTrue();
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> bound.write(RESOURCE, stamp(33), own -> insert.run(own, 2, "stale")));
                assertThat(connection.getAutoCommit()).isTrue();
                assertThatIllegalStateException()
                        .isThrownBy(() -> bound.write(RESOURCE, stamp(34), own -> {
                            throw new IllegalStateException("no money");
                        }));
                assertThat(connection.getAutoCommit()).isTrue();
            }
        }

        /** Drivers leave auto-commit on then. */
        @Test
        @Tag("R11")
        void joinsATransactionThatSqlBeganAndCommitsNothingOfIt() throws SQLException {
            try (Connection callers = place.source().getConnection();
                    Statement statement = callers.createStatement()) {
                JdbcFenceGuard bound = JdbcFenceGuard.on(BoundDataSource.to(callers), place.options());
                statement.execute("BEGIN");
                guard.enter(callers, RESOURCE, stamp(34));
                insert.run(callers, 1, "the caller's");

                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> bound.claim("another", stamp(34)))
                        .withMessageContaining("in a transaction");
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> bound.call("another", stamp(34), connection -> 0))
                        .withMessageContaining("in a transaction");

                statement.execute("ROLLBACK");
            }
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        @Tag("R11")
        void letsTheBodyEndTheTransactionByNoOtherWayEither() throws SQLException {
            List<SqlCall<Object, RuntimeException>> endings = List.of(
                    connection -> {
                        try (Statement statement = connection.createStatement()) {
                            return statement.execute("COMMIT");
                        }
                    },
                    connection -> {
                        try (Statement statement = connection.createStatement()) {
                            return statement.executeUpdate(" /* now */ -- or never\n rollback");
                        }
                    },
                    connection -> {
                        try (Statement statement = connection.createStatement()) {
                            statement.getConnection().commit();
                            return true;
                        }
                    },
                    connection -> {
                        connection.getMetaData().getConnection().commit();
                        return true;
                    });

            for (SqlCall<Object, RuntimeException> ending : endings) {
                assertThatIllegalStateException()
                        .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                            insert.run(connection, 1, "first");
                            return ending.call(connection);
                        }))
                        .withMessageContaining("the guard ends its transaction");
            }
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        @Tag("R11")
        void commitsNothingAfterTheTransactionWasEndedWhereTheGuardCannotSee() throws SQLException {
            AtomicReference<Connection> raw = new AtomicReference<>();
            JdbcFenceGuard watched =
                    JdbcFenceGuard.on(BoundDataSource.remembering(place.source(), raw), place.options());

            BackendException failed = catchThrowableOfType(
                    BackendException.class,
                    () -> watched.call(RESOURCE, stamp(33), connection -> {
                        try (Statement hidden = raw.get().createStatement()) {
                            hidden.execute("COMMIT");
                        }
                        guard.claim("another", stamp(1)); // the fence is free: nobody waits
                        return insert.run(connection, 1, "not under the fence");
                    }));

            assertThat(failed).hasMessageContaining("ended in the middle");
            assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(linesAfterAHiddenCommit());
        }

        /** SQLite commits each statement by itself then, and cannot take it back. */
        long linesAfterAHiddenCommit() {
            return 0;
        }

        @Test
        @Tag("R3")
        void tellsAtOnceThatAThreadWouldWaitForItself() throws SQLException {
            JdbcFenceGuard another = JdbcFenceGuard.on(place.source(), place.options());
            AtomicInteger runs = new AtomicInteger();

            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                        runs.incrementAndGet();
                        another.claim(RESOURCE, stamp(34));
                        return 0;
                    }))
                    .withMessageContaining("would wait for the first one forever")
                    .withMessageContaining("claim(connection");
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.write(
                            RESOURCE, stamp(34), connection -> guard.call(RESOURCE, stamp(34), inner -> 0)));

            assertThat(runs).hasValue(1);
            guard.call(RESOURCE, stamp(34), connection -> {
                guard.claim(connection, RESOURCE, stamp(35));
                return insert.run(connection, 1, "first");
            });
            assertThat(guard.highest(RESOURCE)).contains(stamp(35));
        }

        @Test
        void repeatsNothingThatAGuardInsideHasRepeatedInVain() {
            AtomicInteger runs = new AtomicInteger();
            JdbcFenceGuard inside =
                    JdbcFenceGuard.on(place.source(), place.options().withRetries(0));

            BackendException gaveUp = catchThrowableOfType(
                    BackendException.class,
                    () -> guard.write(RESOURCE, stamp(34), connection -> {
                        runs.incrementAndGet();
                        throw inside(inside);
                    }));

            assertThat(runs).hasValue(1);
            assertThat(gaveUp.code()).isEqualTo(ErrorCode.ABORTED);
        }

        private BackendException inside(JdbcFenceGuard guard) {
            return catchThrowableOfType(
                    BackendException.class,
                    () -> guard.write("another", stamp(1), connection -> {
                        throw new IllegalStateException("wrapped", conflict());
                    }));
        }

        abstract SQLException conflict();

        /** Waits until the claimer waits, where the database can tell. */
        abstract void awaitBlocked();

        final long number(String query) {
            try (Connection connection = place.connect()) {
                return new Sql(query).one(connection, row -> row.getLong(1)).orElseThrow();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        static boolean await(CountDownLatch latch) {
            try {
                return latch.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
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
        SQLException conflict() {
            return new SQLException("deadlock detected", "40P01");
        }

        @Override
        void awaitBlocked() {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
        }

        @Test
        void aDeferredConstraintIsToldAsAnImmediateOneIs() throws SQLException {
            tellsADeferredConstraint();
        }

        /** The driver names the statement's error as the cause, which is not what the caller has to mend. */
        @Test
        void anErrorThatTheBodyDidNotPassOnIsTold() {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> guard.<Integer, RuntimeException>call(RESOURCE, stamp(33), connection -> {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("SET LOCAL statement_timeout = '1ms'");
                            statement.execute("SELECT pg_sleep(10)");
                        } catch (SQLException swallowed) {
                            return 1;
                        }
                        return 0;
                    }))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL))
                    .satisfies(e -> assertThat(e.effect()).isEqualTo(Effect.NONE))
                    .withMessageContaining("its error was not passed on");
        }

        @ParameterizedTest
        @ValueSource(strings = {"repeatable read", "serializable"})
        void aTransactionFromBeforeTheClaimIsNotLetInAtStricterLevels(String level) throws SQLException {
            try (PostgresPlace strict = new PostgresPlace(level)) {
                JdbcFenceGuard strictGuard = JdbcFenceGuard.on(strict.source(), strict.options());
                strictGuard.schema().installSchema();
                strictGuard.claim(RESOURCE, stamp(33));
                try (Connection old = strict.begin()) {
                    new Sql("SELECT count(*) FROM " + strict.in("fenceline_fences")).one(old, row -> row.getLong(1));

                    strictGuard.claim(RESOURCE, stamp(34));

                    SQLException conflict =
                            catchThrowableOfType(SQLException.class, () -> strictGuard.enter(old, RESOURCE, stamp(33)));
                    assertThat(conflict.getSQLState()).isEqualTo("40001");
                    old.rollback();
                    assertThatExceptionOfType(StaleTokenException.class)
                            .isThrownBy(() -> strictGuard.enter(old, RESOURCE, stamp(33)));
                    old.rollback();
                }
            }
        }

        @Test
        void aTransactionFromBeforeTheClaimIsRefusedAtReadCommitted() throws SQLException {
            guard.claim(RESOURCE, stamp(33));
            try (Connection old = place.begin()) {
                new Sql("SELECT count(*) FROM " + place.in("fenceline_fences")).one(old, row -> row.getLong(1));

                guard.claim(RESOURCE, stamp(34));

                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> guard.enter(old, RESOURCE, stamp(33)));
                old.rollback();
            }
        }

        @Test
        void aTransactionOfAStoppedProcessKeepsTheFenceOnlyAsLongAsItMayBeIdle() throws SQLException {
            try (Connection stopped = place.begin()) {
                new Sql("SELECT set_config('idle_in_transaction_session_timeout', '200', true)")
                        .one(stopped, row -> true);
                guard.enter(stopped, RESOURCE, stamp(33));

                guard.claim(RESOURCE, stamp(34));

                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> insert.run(stopped, 1, "written after the stop"));
            }
            assertThat(guard.highest(RESOURCE)).contains(stamp(34));
        }

        @Test
        void limitsHowLongATransactionMayBeIdleUnlessItIsLimitedAlready() throws SQLException {
            Sql limit = new Sql("SELECT current_setting('idle_in_transaction_session_timeout')");
            try (Connection connection = place.begin()) {
                guard.enter(connection, RESOURCE, stamp(33));
                assertThat(limit.one(connection, row -> row.getString(1))).contains("10s");
                connection.commit();
                assertThat(limit.one(connection, row -> row.getString(1))).contains("0");

                new Sql("SELECT set_config('idle_in_transaction_session_timeout', '1h', true)")
                        .one(connection, row -> true);
                guard.enter(connection, RESOURCE, stamp(33));
                assertThat(limit.one(connection, row -> row.getString(1))).contains("1h");
                connection.rollback();
            }
        }

        /** The thread would wait for its own connection before it could ask the database for anything. */
        @Test
        @Tag("R3")
        void tellsAtOnceThatAThreadWouldWaitForItselfAlsoWhereThePoolHasOneConnection() {
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setDataSource(TestServer.dataSource(TestServer.shared()));
                pool.setMaximumPoolSize(1);
                pool.setConnectionTimeout(1_000);
                JdbcFenceGuard lone = JdbcFenceGuard.on(pool, place.options());

                assertThatIllegalStateException()
                        .isThrownBy(() -> lone.call(RESOURCE, stamp(34), connection -> {
                            lone.claim(RESOURCE, stamp(34));
                            return 0;
                        }))
                        .withMessageContaining("would wait for the first one forever");
            }
        }

        @Test
        void repeatsItsOwnTransactionAfterADeadlock() throws Exception {
            place.execute("INSERT INTO " + place.in("totals") + " (id, total) VALUES (2, 0)");
            CountDownLatch bothLocked = new CountDownLatch(2);
            AtomicInteger runs = new AtomicInteger();
            CompletableFuture<Void> one = crossing("a", 1, 2, bothLocked, runs);
            CompletableFuture<Void> two = crossing("b", 2, 1, bothLocked, runs);

            CompletableFuture.allOf(one, two).get(30, TimeUnit.SECONDS);

            assertThat(runs).hasValueGreaterThanOrEqualTo(3);
            assertThat(number("SELECT sum(total) FROM " + place.in("totals"))).isEqualTo(4);
        }

        private CompletableFuture<Void> crossing(
                String resource, int first, int second, CountDownLatch bothLocked, AtomicInteger runs) {
            Sql count = new Sql("UPDATE " + place.in("totals") + " SET total = total + 1 WHERE id = ?1");
            return OnNewThread.run(() -> {
                try {
                    guard.call(resource, stamp(1), connection -> {
                        runs.incrementAndGet();
                        count.run(connection, first);
                        bothLocked.countDown();
                        assertThat(await(bothLocked)).isTrue();
                        return count.run(connection, second);
                    });
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        @Test
        void repeatsItsOwnTransactionAsOftenAsItIsToldAndNoMore() {
            AtomicInteger runs = new AtomicInteger();
            JdbcFenceGuard impatient =
                    JdbcFenceGuard.on(place.source(), place.options().withRetries(2));

            BackendException gaveUp = catchThrowableOfType(
                    BackendException.class,
                    () -> impatient.write(RESOURCE, stamp(34), connection -> {
                        runs.incrementAndGet();
                        throw new IllegalStateException("wrapped", new SQLException("serialization failure", "40001"));
                    }));

            assertThat(runs).hasValue(3);
            assertThat(gaveUp.code()).isEqualTo(ErrorCode.ABORTED);
            assertThat(gaveUp.effect()).isEqualTo(Effect.NONE);
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        @Test
        void findsOutThatTheBodyKeptAnErrorForItself() {
            BackendException failed = catchThrowableOfType(
                    BackendException.class,
                    () -> guard.call(RESOURCE, stamp(34), connection -> {
                        try {
                            return new Sql("SELECT 1/0").one(connection, row -> row.getLong(1));
                        } catch (SQLException kept) {
                            return 0;
                        }
                    }));

            assertThat(failed.effect()).isEqualTo(Effect.NONE);
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }
    }

    @Nested
    class OnSqlite extends Everywhere {

        @Override
        GuardPlace newPlace() {
            return new SqlitePlace();
        }

        @Override
        SQLException conflict() {
            return new SQLException("database is locked", null, 5);
        }

        @Override
        long linesAfterAHiddenCommit() {
            return 1;
        }

        @Override
        void awaitBlocked() {
            // SQLite tells nobody who waits; that the claim sees the line is what counts.
        }

        @Test
        void aDeferredConstraintIsToldAsAnImmediateOneIs() throws SQLException {
            ((SQLiteDataSource) place.source()).setEnforceForeignKeys(true);
            tellsADeferredConstraint();
        }

        @Test
        void aTransactionThatHadReadBeforeOthersWroteIsToldToEnterFirst() throws SQLException {
            try (Connection old = place.begin()) {
                new Sql("SELECT total FROM " + place.in("totals")).one(old, row -> row.getLong(1));
                guard.claim(RESOURCE, stamp(34));

                SQLException outdated =
                        catchThrowableOfType(SQLException.class, () -> guard.enter(old, RESOURCE, stamp(35)));

                assertThat(Products.named("SQLite").fences().isConflict(outdated))
                        .isTrue();
                assertThat(Products.named("SQLite").errors().failed(outdated, Effect.UNKNOWN))
                        .hasMessageContaining("BEGIN IMMEDIATE")
                        .extracting(BackendException::effect)
                        .isEqualTo(Effect.NONE);
                old.rollback();
                guard.enter(old, RESOURCE, stamp(35));
                old.commit();
            }
        }

        @Test
        void repeatsItsOwnTransactionWhileTheFileIsLocked() throws SQLException {
            try (SqlitePlace busy = new SqlitePlace(JournalMode.WAL, 1)) {
                JdbcFenceGuard own =
                        JdbcFenceGuard.on(busy.source(), busy.options().withRetries(1));
                own.schema().installSchema();
                try (Connection other = busy.begin()) {
                    own.enter(other, "another", stamp(1));

                    BackendException gaveUp =
                            catchThrowableOfType(BackendException.class, () -> own.claim(RESOURCE, stamp(34)));

                    assertThat(gaveUp.code()).isEqualTo(ErrorCode.ABORTED);
                    assertThat(gaveUp).hasMessageContaining("2 attempts");
                    other.commit();
                }
                own.claim(RESOURCE, stamp(34));
            }
        }
    }

    /** Databases that end a transaction in the middle, so that what follows would not be under the fence. */
    abstract static class EndingInTheMiddle extends Everywhere {

        @Test
        @Tag("R11")
        void worksOnAPoolThatTurnsAutoCommitOffIfItIsTold() throws SQLException {
            DataSource off = BoundDataSource.withAutoCommitOff(place.source());
            JdbcFenceGuard told = JdbcFenceGuard.on(off, place.options().withAutoCommitOff());

            told.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "first"));
            told.claim(RESOURCE, stamp(35));

            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
            assertThat(told.highest(RESOURCE)).contains(stamp(35));
            try (Connection callers = place.begin()) {
                insert.run(callers, 2, "the caller's");
                JdbcFenceGuard bound = JdbcFenceGuard.on(
                        BoundDataSource.to(callers), place.options().withAutoCommitOff());
                assertThatExceptionOfType(BackendException.class)
                        .isThrownBy(() -> bound.claim(RESOURCE, stamp(36)))
                        .withMessageContaining("in a transaction");
                callers.rollback();
            }
        }

        @Test
        void repeatsItsOwnTransactionAfterADeadlock() throws Exception {
            place.execute("INSERT INTO " + place.in("totals") + " (id, total) VALUES (2, 0)");
            Crossing crossing = new Crossing(guard, place);

            crossing.run(false);

            assertThat(crossing.runs()).isGreaterThanOrEqualTo(3);
            assertThat(number("SELECT sum(total) FROM " + place.in("totals"))).isEqualTo(4);
        }

        /** The fence is gone with the transaction, and what the body writes afterwards is in another. */
        @Test
        void commitsNothingOfABodyThatKeepsADeadlockForItself() throws Exception {
            place.execute("INSERT INTO " + place.in("totals") + " (id, total) VALUES (2, 0)");
            Crossing crossing = new Crossing(guard, place);

            List<Throwable> failures = crossing.run(true);

            assertThat(failures).singleElement().isInstanceOfSatisfying(BackendException.class, failed -> {
                assertThat(failed).hasMessageContaining("ended in the middle");
                assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
            });
            assertThat(number("SELECT sum(total) FROM " + place.in("totals")))
                    .as("what the other has written")
                    .isEqualTo(2);
            assertThat(number("SELECT count(*) FROM " + place.in("fenceline_fences")))
                    .isEqualTo(1);
        }

        @Test
        void commitsNothingAfterATableWasMadeInTheBody() {
            BackendException failed = catchThrowableOfType(
                    BackendException.class,
                    () -> guard.call(RESOURCE, stamp(34), connection -> {
                        try (Statement statement = connection.createStatement()) {
                            statement.executeUpdate("CREATE TABLE " + place.in("more") + " (id INTEGER PRIMARY KEY)");
                        }
                        return insert.run(connection, 1, "not under the fence");
                    }));

            assertThat(failed).hasMessageContaining("made or changed a table");
            assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        }

        @ParameterizedTest
        @Tag("R11")
        @ValueSource(
                strings = {"SET autocommit=1", "/* on */ set @x = 1, @@session.autocommit = ON", "SET AUTOCOMMIT TRUE"})
        void letsTheBodyNotTurnAutoCommitOn(String sql) throws SQLException {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.call(RESOURCE, stamp(34), connection -> {
                        insert.run(connection, 1, "first");
                        try (Statement statement = connection.createStatement()) {
                            return statement.execute(sql);
                        }
                    }))
                    .withMessageContaining("the guard ends its transaction");
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        }

        @Test
        @Tag("R11")
        void saysThatWhatFollowsIsCommittedWhereTheBodyTurnedAutoCommitOn() throws SQLException {
            AtomicReference<Connection> raw = new AtomicReference<>();
            JdbcFenceGuard watched =
                    JdbcFenceGuard.on(BoundDataSource.remembering(place.source(), raw), place.options());

            BackendException failed = catchThrowableOfType(
                    BackendException.class,
                    () -> watched.call(RESOURCE, stamp(33), connection -> {
                        raw.get().setAutoCommit(true);
                        return insert.run(connection, 1, "not under the fence");
                    }));

            assertThat(failed).hasMessageContaining("is committed too, since the body turned auto-commit on");
            assertThat(failed.effect()).isEqualTo(Effect.UNKNOWN);
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isEqualTo(1);
        }

        @Test
        void letsTheBodyGoBackToASavepointOfItsOwn() throws SQLException {
            guard.call(RESOURCE, stamp(34), connection -> {
                Savepoint before = connection.setSavepoint("before");
                insert.run(connection, 1, "taken back");
                connection.rollback(before);
                return insert.run(connection, 2, "written");
            });

            assertThat(number("SELECT id FROM " + place.in("lines"))).isEqualTo(2);
        }

        @Test
        void repeatsItsOwnTransactionAsOftenAsItIsToldAndNoMore() {
            AtomicInteger runs = new AtomicInteger();
            JdbcFenceGuard impatient =
                    JdbcFenceGuard.on(place.source(), place.options().withRetries(2));

            BackendException gaveUp = catchThrowableOfType(
                    BackendException.class,
                    () -> impatient.write(RESOURCE, stamp(34), connection -> {
                        runs.incrementAndGet();
                        throw new IllegalStateException("wrapped", conflict());
                    }));

            assertThat(runs).hasValue(3);
            assertThat(gaveUp.code()).isEqualTo(ErrorCode.ABORTED);
            assertThat(gaveUp.effect()).isEqualTo(Effect.NONE);
            assertThat(guard.highest(RESOURCE)).isEmpty();
        }

        /** Many resources that are new, between one another: what locks gaps would be deadlocked. */
        @Test
        void doesNotLetNewResourcesStandInOneAnothersWay() throws Exception {
            JdbcFenceGuard impatient =
                    JdbcFenceGuard.on(place.source(), place.options().withRetries(0));

            List<CompletableFuture<Void>> racers = IntStream.range(0, 6)
                    .mapToObj(racer -> OnNewThread.run(() -> {
                        for (int i = 0; i < 20; i++) {
                            impatient.claim("new " + i + " of " + racer, stamp(1));
                            impatient.claim("new " + i + " of " + racer, stamp(2));
                        }
                    }))
                    .toList();
            for (CompletableFuture<Void> racer : racers) {
                racer.get(30, TimeUnit.SECONDS);
            }

            assertThat(number("SELECT count(*) FROM " + place.in("fenceline_fences")))
                    .isEqualTo(120);
        }
    }

    /** Two transactions under fences of their own that want the same two rows in opposite order. */
    private static final class Crossing {

        private final JdbcFenceGuard guard;
        private final Sql count;
        private final CountDownLatch bothLocked = new CountDownLatch(2);
        private final AtomicInteger runs = new AtomicInteger();

        Crossing(JdbcFenceGuard guard, GuardPlace place) {
            this.guard = guard;
            this.count = new Sql("UPDATE " + place.in("totals") + " SET total = total + 1 WHERE id = ?1");
        }

        int runs() {
            return runs.get();
        }

        /** Returns what failed. */
        List<Throwable> run(boolean keepErrors) throws Exception {
            List<CompletableFuture<Void>> both =
                    List.of(crossing("a", 1, 2, keepErrors), crossing("b", 2, 1, keepErrors));
            List<Throwable> failures = new ArrayList<>();
            for (CompletableFuture<Void> one : both) {
                one.handle((done, failure) -> failure == null || failures.add(failure.getCause()))
                        .get(30, TimeUnit.SECONDS);
            }
            return failures;
        }

        private CompletableFuture<Void> crossing(String resource, int first, int second, boolean keepErrors) {
            return OnNewThread.run(() -> {
                try {
                    guard.call(resource, stamp(1), connection -> {
                        runs.incrementAndGet();
                        count.run(connection, first);
                        bothLocked.countDown();
                        assertThat(Everywhere.await(bothLocked)).isTrue();
                        try {
                            return count.run(connection, second);
                        } catch (SQLException e) {
                            if (!keepErrors) {
                                throw e;
                            }
                            return count.run(connection, first);
                        }
                    });
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    @Nested
    class OnMariaDb extends EndingInTheMiddle {

        @Override
        GuardPlace newPlace() {
            return new MariaDbPlace();
        }

        @Override
        SQLException conflict() {
            return new SQLException("Deadlock found", "40001", 1213);
        }

        @Override
        void awaitBlocked() {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> number("SELECT count(*) FROM information_schema.innodb_lock_waits") > 0);
        }

        @ParameterizedTest
        @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
        void aTransactionFromBeforeTheClaimIsRefused(String level) throws SQLException {
            try (MariaDbPlace strict = new MariaDbPlace(level)) {
                JdbcFenceGuard strictGuard = JdbcFenceGuard.on(strict.source(), strict.options());
                strictGuard.schema().installSchema();
                strictGuard.claim(RESOURCE, stamp(33));
                try (Connection old = strict.begin()) {
                    new Sql("SELECT count(*) FROM " + strict.in("fenceline_fences")).one(old, row -> row.getLong(1));

                    strictGuard.claim(RESOURCE, stamp(34));

                    assertThatExceptionOfType(StaleTokenException.class)
                            .isThrownBy(() -> strictGuard.enter(old, RESOURCE, stamp(33)));
                    old.rollback();
                }
            }
        }

        /** The driver would repeat a stale transaction on a new connection, with its fence, and not look whether that is taken. */
        @Test
        @Tag("R11")
        void takesNoFenceWhereTheDriverRepeatsLostTransactions() throws SQLException {
            DataSource replaying = new MariaDbDataSource(
                    url().replace("jdbc:mariadb:", "jdbc:mariadb:sequential:") + "&transactionReplay=true");
            JdbcFenceGuard stale = JdbcFenceGuard.on(replaying);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> stale.call(RESOURCE, stamp(33), connection -> {
                        insert.run(connection, 1, "before");
                        killed(connection);
                        guard.claim(RESOURCE, stamp(34));
                        return insert.run(connection, 2, "stale");
                    }))
                    .withMessageContaining("transactionReplay");
            try (Connection connection = replaying.getConnection()) {
                connection.setAutoCommit(false);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> stale.enter(connection, RESOURCE, stamp(33)))
                        .withMessageContaining("leave it out of the URL");
                connection.rollback();
            }
            assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
            JdbcFenceGuard.on(new MariaDbDataSource(url() + "&transactionReplay=true"))
                    .claim(RESOURCE, stamp(33));
        }

        private String url() throws SQLException {
            try (Connection connection = place.source().getConnection()) {
                return connection.getMetaData().getURL();
            }
        }

        private void killed(Connection connection) throws SQLException {
            place.execute("KILL "
                    + new Sql("SELECT connection_id()")
                            .one(connection, row -> row.getLong(1))
                            .orElseThrow());
        }

        /** What a driver counts is a setting of it. */
        @Test
        void admitsAndRefusesAlikeWhereTheDriverCountsOnlyWhatChanged() throws SQLException {
            try (MariaDbPlace counting = new MariaDbPlace("TRANSACTION_REPEATABLE_READ", "&useAffectedRows=true")) {
                JdbcFenceGuard own = JdbcFenceGuard.on(counting.source(), counting.options());
                own.schema().installSchema();
                JdbcFenceGuard once =
                        JdbcFenceGuard.on(counting.source(), counting.options().withRule(FenceRule.ONCE));

                for (int i = 0; i < 50; i++) {
                    own.claim(RESOURCE, stamp(34));
                }
                once.call(RESOURCE, stamp(34), connection -> 0);
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> once.call(RESOURCE, stamp(34), connection -> 0));
                once.call("another", stamp(34), connection -> 0);
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> once.call("another", stamp(34), connection -> 0));
                assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> own.claim(RESOURCE, stamp(33)));
            }
        }
    }

    @Nested
    class OnH2 extends EndingInTheMiddle {

        @Override
        GuardPlace newPlace() {
            return new H2Place();
        }

        @Override
        SQLException conflict() {
            return new SQLException("Deadlock detected", "40001", 40001);
        }

        @Override
        void awaitBlocked() {
            // H2 tells nobody who waits for a row; that the claim sees the line is what counts.
        }
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    /** Rolls nothing back, and says so. */
    private static DataSource failingToRollBack(DataSource source) {
        return (DataSource) Proxy.newProxyInstance(
                GuardedTransactionTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> stuck((Connection) method.invoke(source, arguments)));
    }

    private static Object stuck(Connection connection) {
        return Proxy.newProxyInstance(
                GuardedTransactionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("rollback")) {
                        throw new SQLException("too busy to roll back");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Commits, and then says what a driver says whose connection broke before the answer came. */
    private static DataSource losingAnswersToCommits(DataSource source) {
        return (DataSource) Proxy.newProxyInstance(
                GuardedTransactionTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> losing((Connection) method.invoke(source, arguments)));
    }

    private static Object losing(Connection connection) {
        return Proxy.newProxyInstance(
                GuardedTransactionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(connection, arguments);
                        if (method.getName().equals("commit")) {
                            throw new SQLException("I/O error", "08006");
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
