package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.BoundDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transactions that a guard finds: it joins those that it is told to, and leaves the others alone. */
abstract class CallersTransactionContract extends TransactionPlace {

    abstract SQLException conflict();

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
                .isThrownBy(() ->
                        guard.write(RESOURCE, stamp(34), connection -> guard.call(RESOURCE, stamp(34), inner -> 0)));

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
                    // on another thread, since SQLite lets one thread write in one transaction only
                    throw CompletableFuture.supplyAsync(() -> inside(inside), task -> new Thread(task).start())
                            .join();
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
}
