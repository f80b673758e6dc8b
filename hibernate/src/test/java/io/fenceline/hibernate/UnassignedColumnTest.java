package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.SourceType;
import org.hibernate.annotations.UpdateTimestamp;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Updates in which Hibernate assigns no attribute, and so no @FenceColumn. Who writes by a condition of its own relies on the column. */
@Tag("R9")
class UnassignedColumnTest {

    @ParameterizedTest
    @EnumSource(
            value = LockModeType.class,
            names = {"PESSIMISTIC_FORCE_INCREMENT", "OPTIMISTIC_FORCE_INCREMENT"})
    void anIncrementOfTheVersionStoresTheToken(LockModeType mode) {
        try (SessionFactory sessions = StoredColumnTest.factory(Store.H2.newGuardedUrl(), Ticket.class)) {
            write(sessions, 5, session -> session.persist(new Ticket()));

            write(sessions, 20, session -> session.lock(session.find(Ticket.class, 7L), mode));

            assertThat(column(sessions)).isEqualTo(20);
            assertThat(Fencing.refusal(catchThrowable(() ->
                            write(sessions, 10, session -> session.lock(session.find(Ticket.class, 7L), mode)))))
                    .isPresent();
            assertThat(column(sessions)).isEqualTo(20);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Store.class,
            names = {"H2", "POSTGRESQL", "MARIADB"})
    void aMarkOfDeletionStoresTheToken(Store store) {
        try (SessionFactory sessions = StoredColumnTest.factory(store.newGuardedUrl(), Ticket.class)) {
            write(sessions, 5, session -> session.persist(new Ticket()));

            assertThat(Fencing.refusal(catchThrowable(() -> {
                        write(sessions, 9, session -> session.find(Ticket.class, 7L).title = "newer");
                        write(sessions, 8, session -> session.remove(session.find(Ticket.class, 7L)));
                    })))
                    .isPresent();
            write(sessions, 30, session -> session.remove(session.find(Ticket.class, 7L)));

            assertThat(column(sessions)).isEqualTo(30);
            assertThat(sessions.<Ticket>fromSession(session -> session.find(Ticket.class, 7L)))
                    .isNull();
        }
    }

    /** Hibernate counts no rows of an update that returns such a column, as PostgreSQL's do. */
    @ParameterizedTest
    @EnumSource(
            value = Store.class,
            names = {"H2", "POSTGRESQL", "MARIADB"})
    void anUpdateThatReturnsAGeneratedColumnIsRefusedAsAnyOther(Store store) {
        try (SessionFactory sessions = StoredColumnTest.factory(store.newGuardedUrl(), Stamped.class)) {
            write(sessions, 5, session -> session.persist(new Stamped()));
            write(sessions, 6, session -> session.find(Stamped.class, 7L).title = "changed");
            sessions.inTransaction(session -> session.doWork(
                    connection -> connection.createStatement().executeUpdate("update Stamped set lastFence = 100")));

            for (Consumer<Session> stale : List.<Consumer<Session>>of(
                    session -> session.find(Stamped.class, 7L).title = "stale",
                    session ->
                            session.lock(session.find(Stamped.class, 7L), LockModeType.PESSIMISTIC_FORCE_INCREMENT))) {
                assertThat(Fencing.refusal(catchThrowable(() -> write(sessions, 50, stale))))
                        .containsInstanceOf(StaleTokenException.class);
            }
            write(sessions, 101, session -> session.find(Stamped.class, 7L).title = "newer");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Store.class,
            names = {"H2", "POSTGRESQL", "MARIADB"})
    void anUpdateThatReturnsAGeneratedColumnIsAdmittedOnceForAGrant(Store store) {
        try (SessionFactory sessions = StoredColumnTest.factory(store.newGuardedUrl(), StampedOnce.class)) {
            write(sessions, 5, session -> session.persist(new StampedOnce()));
            write(sessions, 6, session -> session.find(StampedOnce.class, 7L).title = "changed");
            write(
                    sessions,
                    7,
                    session -> session.lock(
                            session.find(StampedOnce.class, 7L), LockModeType.PESSIMISTIC_FORCE_INCREMENT));

            assertThat(Fencing.refusal(catchThrowable(() ->
                            write(sessions, 7, session -> session.find(StampedOnce.class, 7L).title = "again"))))
                    .containsInstanceOf(StaleTokenException.class);
        }
    }

    private static void write(SessionFactory sessions, long token, Consumer<Session> work) {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(new FenceStamp(LockKey.of("lock"), FencingToken.of(token)));
            work.accept(session);
        });
    }

    private static long column(SessionFactory sessions) {
        return sessions.fromSession(session -> session.createNativeQuery("select lastFence from Ticket", Long.class)
                .getSingleResult());
    }

    @Entity(name = "StampedOnce")
    @Fenced(resource = "stamped/{id}", rule = FenceRule.ONCE)
    static class StampedOnce extends StampedRow {}

    @Entity(name = "Stamped")
    @Fenced(resource = "stamped/{id}")
    static class Stamped extends StampedRow {}

    @MappedSuperclass
    static class StampedRow {
        @Id
        long id = 7;

        String title = "new";

        @Version
        int version;

        @UpdateTimestamp(source = SourceType.DB)
        Instant changedAt;

        @FenceColumn
        long lastFence;
    }

    @Entity(name = "Ticket")
    @SoftDelete
    @Fenced(resource = "ticket/{id}")
    static class Ticket {
        @Id
        long id = 7;

        String title = "new";

        @Version
        int version;

        @FenceColumn
        long lastFence;
    }
}
