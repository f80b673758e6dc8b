package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each grant writes a row in one transaction only, in however many flushes. */
@Tag("R2")
class OnceEntityTest {

    private final SessionFactory sessions =
            StoredColumnTest.factory(Store.H2.newGuardedUrl(), Report.class, Draft.class, ColumnNoteOnce.class);

    @BeforeEach
    void writeTwiceInOneTransaction() {
        write(3, session -> {
            Report report = new Report();
            session.persist(report);
            session.flush();
            report.text = "second flush";
        });
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    @Test
    void isNotWrittenInAnotherTransaction() {
        assertStale(3, session -> session.find(Report.class, 1L).text = "another transaction");

        write(4, session -> session.find(Report.class, 1L).text = "another grant");
    }

    @Test
    void isNotWrittenInAnotherTransactionOfTheSameSession() {
        try (Session session = sessions.openSession()) {
            Fencing.in(session).by(stamp(4));
            session.beginTransaction();
            session.find(Report.class, 1L).text = "first";
            session.getTransaction().commit();
            session.beginTransaction();
            session.find(Report.class, 1L).text = "second";

            assertThatThrownBy(() -> session.getTransaction().commit()).matches(OnceEntityTest::isStale);
        }
    }

    /** Hibernate tells such a session of no completion as it tells others. */
    @Test
    void isNotWrittenInAnotherTransactionOfAStatelessSessionOnTheConnectionOfAnother() {
        try (Session session = sessions.openSession();
                StatelessSession child =
                        session.statelessWithOptions().connection().openStatelessSession()) {
            Fencing.in(child).by(stamp(4));
            session.beginTransaction();
            child.update(child.get(Report.class, 1L));
            child.update(child.get(Report.class, 1L));
            session.getTransaction().commit();
            session.beginTransaction();

            assertThatThrownBy(() -> child.update(child.get(Report.class, 1L))).matches(OnceEntityTest::isStale);
            session.getTransaction().rollback();
        }
    }

    /** The stricter rule counts where entities of both rules share a name. */
    @Test
    void isNotWrittenAgainTogetherWithAnEntityOfTheOtherRule() {
        assertStale(3, session -> {
            session.find(Report.class, 1L).text = "with a draft";
            session.persist(new Draft());
        });
    }

    @Test
    void isNotEnteredByAColumn() {
        write(3, session -> {
            ColumnNoteOnce note = new ColumnNoteOnce();
            note.name("n");
            session.persist(note);
        });

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> write(4, session -> Fencing.in(session).enter(ColumnNoteOnce.class, "n")))
                .withMessageContaining("ColumnNoteOnce")
                .withMessageContaining("fence it by the fence table");
    }

    private void write(long token, Consumer<Session> work) {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(stamp(token));
            work.accept(session);
        });
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    private void assertStale(long token, Consumer<Session> work) {
        assertThatThrownBy(() -> write(token, work)).matches(OnceEntityTest::isStale);
    }

    private static boolean isStale(Throwable thrown) {
        return Fencing.refusal(thrown)
                .filter(StaleTokenException.class::isInstance)
                .isPresent();
    }

    @Entity(name = "Report")
    @Fenced(resource = "report/{id}", rule = FenceRule.ONCE)
    static class Report {
        @Id
        long id = 1;

        String text = "new";
    }

    @Entity(name = "Draft")
    @Fenced(resource = "report/{id}")
    static class Draft {
        @Id
        long id = 1;

        String text = "draft";
    }
}
