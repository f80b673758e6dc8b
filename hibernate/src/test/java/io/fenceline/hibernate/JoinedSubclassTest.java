package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PrimaryKeyJoinColumn;
import jakarta.persistence.Version;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A subclass in a table of its own, whose identifier has another column there. */
@Tag("R1")
class JoinedSubclassTest {

    private static final FenceStamp OLD = new FenceStamp(LockKey.of("lock"), FencingToken.of(3));
    private static final FenceStamp NEW = new FenceStamp(LockKey.of("lock"), FencingToken.of(5));

    private final String url = Store.H2.newGuardedUrl();
    private SessionFactory sessions;

    @BeforeEach
    void open() {
        sessions = StoredColumnTest.factory(url, Vehicle.class, Car.class);
        sessions.inTransaction(session -> {
            Fencing.in(session).by(NEW);
            session.persist(new Car());
        });
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    @Test
    void isNamedByTheIdentifierOfTheFirstTable() {
        assertThat(JdbcFenceGuard.on(Store.H2.source(url)).highest("vehicle/7")).contains(NEW);
    }

    @Test
    void refusesStaleChangesOfEitherTable() {
        assertStale(session -> session.find(Car.class, 7L).seats = 2);
        assertStale(session -> session.find(Vehicle.class, 7L).owner = "stale");
        assertStale(session -> session.remove(session.find(Vehicle.class, 7L)));
    }

    /** Hibernate gives the statement only the key. */
    @Test
    void refusesAStaleIncrementOfTheVersion() {
        assertStale(session -> session.find(Car.class, 7L, LockModeType.PESSIMISTIC_FORCE_INCREMENT));
        assertStale(session -> session.find(Car.class, 7L, LockModeType.OPTIMISTIC_FORCE_INCREMENT));
    }

    private void assertStale(Consumer<Session> change) {
        assertThatThrownBy(() -> sessions.inTransaction(session -> {
                    Fencing.in(session).by(OLD);
                    change.accept(session);
                }))
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
    }

    @Entity(name = "Vehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    @Fenced(resource = "vehicle/{id}")
    static class Vehicle {
        @Id
        long id = 7;

        @Version
        int version;

        String owner = "new";
    }

    @Entity(name = "Car")
    @PrimaryKeyJoinColumn(name = "car_number")
    @Fenced(resource = "vehicle/{id}")
    static class Car extends Vehicle {
        int seats = 5;
    }
}
