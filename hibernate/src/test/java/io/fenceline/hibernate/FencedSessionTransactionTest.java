package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.LockEvent;
import jakarta.persistence.OptimisticLockException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.StaleObjectStateException;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session from the stamp to its end: several leases, savepoints, rollbacks, refusals that are caught, and stateless sessions. */
class FencedSessionTransactionTest extends FencedSessions {

    @Test
    @Tag("R7")
    void writesUnderSeveralLeasesAndRefusesTheTokenOfAnotherLock() {
        FenceStamp other = new FenceStamp(LockKey.of("other"), FencingToken.of(7));
        database.sessions().inTransaction(session -> {
            Fencing.in(session).by(stamp(34)).by("shop:2", other);
            session.persist(new Shop(1, "corner"));
            session.persist(new Shop(2, "mall"));
        });

        assertThat(guard().highest("shop:2")).contains(other);
        assertThat(refusal(() -> write(99, session -> session.find(Shop.class, 2L).name = "foreign")))
                .isInstanceOf(ForeignTokenException.class);
    }

    @Test
    void takesAFenceAnewAfterARollbackToASavepoint() {
        write(34, session -> session.persist(new Shop(1, "corner")));

        assertStale(35, 36, session -> {
            Shop shop = session.find(Shop.class, 1L);
            session.doWork(connection -> {
                var savepoint = connection.setSavepoint();
                shop.name = "undone";
                session.flush();
                connection.rollback(savepoint); // our fence is free again
            });
            write(36, other -> other.find(Shop.class, 1L).name = "newer");
            shop.name = "stale";
            session.flush();
        });
        assertRead(session -> session.find(Shop.class, 1L).name).isEqualTo("newer");
    }

    @Test
    void takesAFenceAnewAfterARollbackToASavepointInAStatelessSession() {
        write(34, session -> session.persist(new Shop(1, "corner")));

        Throwable refused = refusal(() -> stateless(35, session -> {
            session.doWork(connection -> {
                var savepoint = connection.setSavepoint();
                session.update(renamed(session.get(Shop.class, 1L)));
                connection.rollback(savepoint);
            });
            write(36, other -> other.find(Shop.class, 1L).name = "newer");
            session.update(renamed(session.get(Shop.class, 1L)));
        }));

        assertThat(refused).isInstanceOf(StaleTokenException.class);
        assertRead(session -> session.find(Shop.class, 1L).name).isEqualTo("newer");
    }

    @Test
    void forgetsAFenceThatWasRolledBack() {
        write(34, session -> session.persist(new Shop(1, "corner")));
        try (Session session = database.sessions().openSession()) {
            Fencing.in(session).by(stamp(40));
            session.beginTransaction();
            session.find(Shop.class, 1L).name = "undone";
            session.flush();
            session.getTransaction().rollback();
        }

        assertThat(guard().highest("shop:1")).contains(stamp(34));
        write(35, session -> session.find(Shop.class, 1L).name = "written");
    }

    @Test
    void keepsNothingOfATransactionWithARefusalThatWasCaught() {
        write(35, session -> session.persist(new Shop(1, "corner")));

        Throwable ignored = catchThrowable(() -> write(34, session -> {
            session.persist(new Shop(2, "made before"));
            session.flush();
            session.find(Shop.class, 1L).name = "stale";
            assertThatThrownBy(session::flush).isInstanceOf(StaleTokenException.class);
        }));

        assertRead(session -> session.find(Shop.class, 2L)).isNull();
        assertThat(guard().highest("shop:2")).isEmpty();
    }

    @Test
    @Tag("R9")
    void tellsListenersOfEachRefusalOnce() {
        List<LockEvent> events = new ArrayList<>();
        write(35, session -> {
            session.persist(new Shop(1, "corner"));
            session.persist(new Invoice(1, "open"));
        });
        database.listen(events::add);

        assertStale(34, 35, session -> session.find(Shop.class, 1L).name = "stale");
        assertStale(34, 35, session -> session.find(Invoice.class, 1L).status = "stale");

        assertThat(events).filteredOn(LockEvent.StaleRefused.class::isInstance).hasSize(2);
    }

    @Test
    void blocksNobodyForGoodWhenTwoSessionsWriteTheSameInOppositeOrder() throws Exception {
        write(1, session -> {
            session.persist(new Shop(1, "a"));
            session.persist(new Shop(2, "b"));
        });
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 20; round++) {
                CountDownLatch start = new CountDownLatch(2);
                Future<?> up = threads.submit(() -> rename(start, 1, 2));
                Future<?> down = threads.submit(() -> rename(start, 2, 1));
                up.get(30, TimeUnit.SECONDS);
                down.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void rename(CountDownLatch start, long first, long second) throws InterruptedException {
        try {
            write(1, session -> {
                Shop one = session.find(Shop.class, first);
                Shop other = session.find(Shop.class, second);
                start.countDown();
                await(start);
                one.name = one.name + first;
                other.name = other.name + first;
            });
        } catch (OptimisticLockException | StaleObjectStateException theOtherWasFirst) {
            assertThat(theOtherWasFirst).isNotNull();
        }
        return null;
    }

    /** As Spring injects them. Its methods lead to the session, and none tells which that is. */
    @Test
    void doesNotTakeAProxyForAStatelessSession() {
        StatelessSession proxy = (StatelessSession) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StatelessSession.class},
                (self, method, arguments) -> null);

        assertThatThrownBy(() -> Fencing.in(proxy))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("proxy");
    }

    @Test
    void guardsStatelessSessions() {
        stateless(34, session -> {
            session.insert(new Shop(1, "corner"));
            session.insert(new Invoice(1, "open"));
        });
        write(35, session -> {
            session.find(Shop.class, 1L).name = "mall";
            session.find(Invoice.class, 1L).status = "sent";
        });

        for (Consumer<StatelessSession> write : List.<Consumer<StatelessSession>>of(
                session -> session.update(renamed(session.get(Shop.class, 1L))),
                session -> session.delete(session.get(Shop.class, 1L)),
                session -> session.upsert(renamed(session.get(Shop.class, 1L))),
                session -> session.update(session.get(Invoice.class, 1L)),
                session -> session.delete(session.get(Invoice.class, 1L)))) {
            assertThat(refusal(() -> stateless(34, write))).isInstanceOf(StaleTokenException.class);
        }
        assertThat(refusal(
                        () -> database.sessions().inStatelessTransaction(session -> session.insert(new Shop(3, "x")))))
                .isInstanceOf(MissingTokenException.class);
        assertThatThrownBy(() -> stateless(36, session -> session.upsert(new Invoice(1, "x"))))
                .hasStackTraceContaining("fence the entity by the fence table");
        try (StatelessSession session = database.sessions().openStatelessSession()) {
            Fencing.in(session).by(stamp(36));
            assertThatThrownBy(() -> session.insert(new Shop(3, "x"))).hasMessageContaining("none is active");
        }
    }

    @Test
    @Tag("R4")
    void entersBeforeItReadsWhereverTheFenceIs() {
        write(33, session -> session.persist(new Invoice(1, "open")));
        write(34, session -> Fencing.in(session).enter(Invoice.class, 1L).enter(Shop.class, 1L));

        assertStale(33, 34, session -> session.find(Invoice.class, 1L).status = "stale");
        assertStale(33, 34, session -> session.persist(new Shop(1, "stale")));
        assertThat(invoice(1).status).isEqualTo("open");
    }

    @Test
    void forgetsTheStampWhenToldTo() {
        assertThat(refusal(() -> write(34, session -> {
                    Fencing.in(session).end();
                    session.persist(new Shop(1, "corner"));
                })))
                .isInstanceOf(MissingTokenException.class);
    }

    private static Shop renamed(Shop shop) {
        shop.name = "stale";
        return shop;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
