package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Audited;
import org.hibernate.annotations.Temporal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hibernate 7.4 writes rows of its own beside those of an entity. They belong to a change whose fence is taken. */
@Tag("R9")
class HistoryTableTest {

    @ParameterizedTest
    @ValueSource(classes = {Contract.class, DatedContract.class, Price.class})
    <E extends Item> void isWrittenWithTheEntityAndNotByAStaleHolder(Class<E> type) throws Exception {
        E created = type.getDeclaredConstructor().newInstance();
        try (SessionFactory sessions = StoredColumnTest.factory(Store.H2.newGuardedUrl(), type)) {
            write(sessions, 5, session -> session.persist(created));
            write(sessions, 20, session -> session.find(type, 7L).title = "newer");

            assertThat(Fencing.refusal(catchThrowable(() ->
                            write(sessions, 10, session -> session.find(type, 7L).title = "stale"))))
                    .isPresent();
            assertThat(sessions.<E>fromSession(session -> session.find(type, 7L)).title)
                    .isEqualTo("newer");

            write(sessions, 30, session -> session.remove(session.find(type, 7L)));
        }
    }

    /** The condition on the row would mean past rows, too, where they are in the same table. */
    @Test
    void hasNoFenceInAColumnOfATemporalEntity() {
        assertThatThrownBy(() -> StoredColumnTest.factory(Store.H2.newGuardedUrl(), DatedPrice.class))
                .hasStackTraceContaining("is @Temporal and has a @FenceColumn");
    }

    private static void write(SessionFactory sessions, long token, Consumer<Session> work) {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(new FenceStamp(LockKey.of("lock"), FencingToken.of(token)));
            work.accept(session);
        });
    }

    @MappedSuperclass
    abstract static class Item {
        @Id
        long id = 7;

        String title = "new";
    }

    @Entity(name = "Contract")
    @Audited
    @Fenced(resource = "contract/{id}")
    static class Contract extends Item {}

    @Entity(name = "DatedContract")
    @Audited
    @Fenced(resource = "dated/{id}")
    static class DatedContract extends Item {
        @FenceColumn
        long lastFence;
    }

    @Entity(name = "Price")
    @Temporal
    @Fenced(resource = "price/{id}")
    static class Price extends Item {}

    @MappedSuperclass
    @Temporal
    abstract static class ItemWithHistory extends Item {}

    @Entity(name = "DatedPrice")
    @Fenced(resource = "price/{id}")
    static class DatedPrice extends ItemWithHistory {
        @FenceColumn
        long lastFence;
    }
}
