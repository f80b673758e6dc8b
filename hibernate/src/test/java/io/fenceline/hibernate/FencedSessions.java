package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import jakarta.persistence.OptimisticLockException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.assertj.core.api.ObjectAssert;
import org.hibernate.Session;
import org.hibernate.StaleObjectStateException;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Sessions on a database with fenced entities. */
abstract class FencedSessions {

    static Database database;

    @BeforeAll
    static void openDatabase() {
        database = Database.open();
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @AfterEach
    void emptyDatabase() {
        database.empty();
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    static JdbcFenceGuard guard() {
        return JdbcFenceGuard.on(database.source());
    }

    static void write(long token, Consumer<Session> work) {
        database.sessions().inTransaction(session -> {
            Fencing.in(session).by(stamp(token));
            work.accept(session);
        });
    }

    static void stateless(long token, Consumer<StatelessSession> work) {
        database.sessions().inStatelessTransaction(session -> {
            Fencing.in(session).by(stamp(token));
            work.accept(session);
        });
    }

    static <T> T read(Function<Session, T> work) {
        return database.sessions().fromTransaction(work::apply);
    }

    static ObjectAssert<Object> assertRead(Function<Session, Object> work) {
        return assertThat(database.sessions().<Object>fromTransaction(work::apply));
    }

    static Invoice invoice(long id) {
        return read(session -> session.find(Invoice.class, id));
    }

    static RefusedWriteException refusal(Runnable act) {
        Throwable thrown = catchThrowable(act::run);
        assertThat(thrown).isNotNull();
        return Fencing.refusal(thrown).orElseThrow(() -> new AssertionError("no refusal", thrown));
    }

    static void assertStale(long token, long highest, Consumer<Session> work) {
        RefusedWriteException refusal = refusal(() -> write(token, work));
        assertThat(refusal).isInstanceOf(StaleTokenException.class);
        assertThat(((StaleTokenException) refusal).highest()).isEqualTo(FencingToken.of(highest));
        assertThat(((StaleTokenException) refusal).presented()).isEqualTo(stamp(token));
    }

    static void assertConflict(long token, Consumer<Session> work) {
        Throwable thrown = catchThrowable(() -> write(token, work));
        assertThat(Fencing.refusal(thrown)).isEmpty();
        assertThat(thrown).isInstanceOfAny(OptimisticLockException.class, StaleObjectStateException.class);
    }
}
