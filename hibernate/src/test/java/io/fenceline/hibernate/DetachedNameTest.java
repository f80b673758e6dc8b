package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows that are named by an attribute, written by objects that have another value in it than the row. */
@Tag("R1")
class DetachedNameTest {

    private static final FenceStamp OLD = new FenceStamp(LockKey.of("lock"), FencingToken.of(3));
    private static final FenceStamp NEW = new FenceStamp(LockKey.of("lock"), FencingToken.of(5));

    private final Bill bill = new Bill(1);
    private final Bill other = new Bill(2);
    private SessionFactory sessions;

    @BeforeEach
    void open() {
        Configuration configuration = new Configuration();
        configuration.setProperty("hibernate.connection.url", Store.H2.newGuardedUrl());
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        configuration.addAnnotatedClass(Bill.class).addAnnotatedClass(Position.class);
        sessions = configuration.buildSessionFactory();
        sessions.inTransaction(session -> {
            Fencing.in(session).by(NEW);
            session.persist(bill);
            session.persist(other);
            session.persist(new Bill(3)); // nobody has claimed it
            session.persist(new Position(7, bill, "new"));
        });
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    @Test
    void areNamedByTheRowInAStatelessSession() {
        assertStale(StatelessSession::update);
        assertStale(StatelessSession::upsert);
        assertStale(StatelessSession::delete);
        sessions.inStatelessTransaction(session -> {
            Fencing.in(session).by(NEW);
            session.update(new Position(7, bill, "newer"));
            session.upsert(new Position(8, other, "newer"));
            session.insert(new Position(9, other, "newer"));
        });
    }

    private void assertStale(BiConsumer<StatelessSession, Object> write) {
        assertThatThrownBy(() -> sessions.inStatelessTransaction(session -> {
                    Fencing.in(session).by(OLD);
                    write.accept(session, new Position(7, other, "stale"));
                }))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("bill:1");
        assertUnchanged();
    }

    /** Hibernate inserts the state as it was then. */
    @Test
    void areNamedByWhatIsInsertedThoughTheObjectHasChangedSinceItWasPersisted() {
        assertThatThrownBy(() -> sessions.inTransaction(session -> {
                    Fencing.in(session).by(OLD);
                    Position position = new Position(8, session.find(Bill.class, 1L), "stale");
                    session.persist(position);
                    position.bill = session.find(Bill.class, 3L);
                }))
                .hasStackTraceContaining("bill:1")
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
        sessions.inTransaction(
                session -> assertThat(session.find(Position.class, 8L)).isNull());
    }

    @Test
    void areNamedByTheStateThatAListenerHasSetAfterOurs() {
        sessions.unwrap(SessionFactoryImplementor.class)
                .getEventEngine()
                .getListenerRegistry()
                .appendListeners(EventType.PRE_INSERT, new PreInsertEventListener() {
                    @Override
                    public boolean onPreInsert(PreInsertEvent event) {
                        event.getState()[event.getPersister().getPropertyIndex("bill")] = bill;
                        return false;
                    }
                });

        assertThatThrownBy(() -> sessions.inStatelessTransaction(session -> {
                    Fencing.in(session).by(OLD);
                    session.insert(new Position(8, new Bill(3), "stale"));
                }))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("bill:1");
    }

    /** Hibernate keeps no state of what is read-only. */
    @Test
    void areNamedByWhatIsInsertedThoughTheyAreReadOnly() {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(OLD);
            Position position = new Position(8, session.find(Bill.class, 3L), "first");
            session.persist(position);
            session.setReadOnly(position, true);
            position.bill = session.find(Bill.class, 1L);
        });

        sessions.inTransaction(session -> assertThat(session.getIdentifier(session.find(Position.class, 8L).bill))
                .isEqualTo(3L));
    }

    @Test
    void areNotRemovedByADetachedObject() {
        assertThatThrownBy(() -> remove(OLD, session -> new Position(7, other, "stale")))
                .hasStackTraceContaining("find the entity in this session");
        assertUnchanged();
        assertThatThrownBy(() -> remove(OLD, session -> session.find(Position.class, 7L)))
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
        assertThatCode(() -> remove(NEW, session -> session.find(Position.class, 7L)))
                .doesNotThrowAnyException();
    }

    @Test
    void areRemovedUnderTheFenceOfTheRowThoughReadOnly() {
        assertThatThrownBy(() -> remove(OLD, session -> {
                    Position position = session.find(Position.class, 7L);
                    session.setReadOnly(position, true);
                    position.bill = session.find(Bill.class, 2L);
                    return position;
                }))
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
        assertUnchanged();
    }

    private void remove(FenceStamp stamp, Function<Session, Position> position) {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(stamp);
            session.remove(position.apply(session));
        });
    }

    private void assertUnchanged() {
        sessions.inTransaction(
                session -> assertThat(session.find(Position.class, 7L).text).isEqualTo("new"));
    }

    @Entity(name = "Bill")
    static class Bill {
        @Id
        long id;

        Bill() {}

        Bill(long id) {
            this.id = id;
        }
    }

    @Entity(name = "Position")
    @Fenced(resource = "bill:{bill}")
    static class Position {
        @Id
        long id;

        @ManyToOne(fetch = FetchType.LAZY)
        @JoinColumn(updatable = false)
        Bill bill;

        String text;

        Position() {}

        Position(long id, Bill bill, String text) {
            this.id = id;
            this.bill = bill;
            this.text = text;
        }
    }
}
