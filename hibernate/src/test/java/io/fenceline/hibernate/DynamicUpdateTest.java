package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.DynamicUpdate;
import org.junit.jupiter.api.Test;

/** Updates that name only the columns that have changed. */
class DynamicUpdateTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("lock"), FencingToken.of(3));

    /** Hibernate does not know what has changed in an object that no session has loaded, and takes what a generator sets for all of it. */
    @Test
    void areRefusedInAStatelessSessionWithAFenceInAColumn() {
        try (SessionFactory sessions = StoredColumnTest.factory(Store.H2.newGuardedUrl(), Stock.class)) {
            sessions.inTransaction(session -> {
                Fencing.in(session).by(STAMP);
                session.persist(new Stock());
            });
            sessions.inTransaction(session -> {
                Fencing.in(session).by(STAMP);
                session.find(Stock.class, 7L).amount = 2;
            });

            assertThatThrownBy(() -> sessions.inStatelessTransaction(session -> {
                        Fencing.in(session).by(STAMP);
                        Stock stock = session.get(Stock.class, 7L);
                        stock.amount = 3;
                        session.update(stock);
                    }))
                    .hasStackTraceContaining(
                            "in a stateless session Hibernate would write nothing but its @FenceColumn");
            sessions.inTransaction(
                    session -> assertThat(session.find(Stock.class, 7L).amount).isEqualTo(2));
        }
    }

    @Entity(name = "Stock")
    @DynamicUpdate
    @Fenced(resource = "stock/{id}")
    static class Stock {
        @Id
        long id = 7;

        int amount = 1;

        @FenceColumn
        long lastFence;
    }
}
