package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresGuardedTransactionTest extends GuardedTransactionContract {

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

    @ParameterizedTest
    @ValueSource(strings = {"P0001", "ZZ001", "22012"})
    void soIsWhatADeferredTriggerRaises(String state) {
        place.execute("CREATE FUNCTION " + place.in("refuse") + "() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE EXCEPTION ''no such line'' USING ERRCODE = ''" + state + "''; END'");
        place.execute("CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON " + place.in("lines")
                + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + place.in("refuse") + "()");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> guard.write(RESOURCE, stamp(34), connection -> insert.run(connection, 1, "refused")))
                .withMessageContaining("no such line");
    }

    @Test
    void leavesAutoCommitOffWhereItWas() throws SQLException {
        try (Connection connection = place.begin()) {
            JdbcFenceGuard own = JdbcFenceGuard.on(
                    BoundDataSource.to(connection), place.options().withAutoCommitOff());

            own.highest(RESOURCE);
            assertThat(connection.getAutoCommit()).isFalse();
            own.claim(RESOURCE, stamp(34));
            assertThat(connection.getAutoCommit()).isFalse();
        }
    }

    /** Each but the first waits for another to make them, and then has to see them. */
    @Test
    void tablesAreMadeByManyProcessesAtATime() throws Exception {
        PGSimpleDataSource source = TestServer.dataSource(TestServer.shared());
        source.setOptions("-c default_transaction_isolation=serializable");
        for (int round = 0; round < 5; round++) {
            try (PostgresPlace empty = new PostgresPlace()) {
                List<FutureTask<Boolean>> processes = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    SchemaControl tables =
                            JdbcFenceGuard.on(source, empty.options()).schema();
                    processes.add(new FutureTask<>(tables::installSchema, true));
                    new Thread(processes.get(i)).start();
                }
                for (FutureTask<Boolean> process : processes) {
                    assertThat(process.get()).isTrue();
                }
            }
        }
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
            new Sql("SELECT set_config('idle_in_transaction_session_timeout', '200', true)").one(stopped, row -> true);
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
        Crossing crossing = new Crossing(guard, place);

        assertThat(crossing.run(false)).isEmpty();

        assertThat(crossing.runs()).isGreaterThanOrEqualTo(3);
        assertThat(number("SELECT sum(total) FROM " + place.in("totals"))).isEqualTo(4);
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
