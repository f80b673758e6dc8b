package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.OnNewThread;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases that end a transaction in the middle, so that what follows would not be under the fence. */
abstract class EndingInTheMiddleContract extends GuardedTransactionContract {

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
        JdbcFenceGuard watched = JdbcFenceGuard.on(BoundDataSource.remembering(place.source(), raw), place.options());

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
