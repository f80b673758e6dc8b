package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.telemetry.LockEvent;
import jakarta.persistence.OptimisticLockException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.assertj.core.api.ObjectAssert;
import org.hibernate.Session;
import org.hibernate.StaleObjectStateException;
import org.hibernate.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a session does to fenced entities, with all that Hibernate does in between. */
class FencedSessionTest {

    private static Database database;

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

    @Test
    @Tag("R8")
    void refusesInsertUpdateAndDeleteWithoutAStampBeforeAnySql() {
        write(34, session -> {
            session.persist(new Invoice(1, "open"));
            session.persist(new Shop(1, "corner"));
        });
        List<Consumer<Session>> writes = List.of(
                session -> session.persist(new Invoice(2, "open")),
                session -> session.persist(new Shop(2, "mall")),
                session -> session.persist(new Numbered()),
                session -> session.find(Invoice.class, 1L).status = "paid",
                session -> session.find(Shop.class, 1L).name = "mall",
                session -> session.remove(session.find(Invoice.class, 1L)),
                session -> session.remove(session.find(Shop.class, 1L)),
                session -> session.find(Invoice.class, 1L).tags.add("late"));

        for (Consumer<Session> write : writes) {
            long before = statements();
            RefusedWriteException refusal = refusal(() -> database.sessions().inTransaction(write));
            assertThat(refusal).isInstanceOf(MissingTokenException.class).hasMessageContaining("Fencing.in(session)");
            assertThat(statements()).isEqualTo(before);
        }

        assertThat(invoice(1).status).isEqualTo("open");
        assertRead(session -> session.find(Shop.class, 1L).name).isEqualTo("corner");
    }

    @Test
    void readsWithoutAStamp() {
        write(34, session -> session.persist(new Invoice(1, "open")));

        assertThatCode(() -> database.sessions().inTransaction(session -> {
                    assertThat(session.find(Invoice.class, 1L).status).isEqualTo("open");
                    assertThat(session.createQuery(
                                            "select case when i.status = 'UPDATE' then 1 else 0 end from Invoice i",
                                            Integer.class)
                                    .getSingleResult())
                            .isZero();
                    session.flush();
                }))
                .doesNotThrowAnyException();
    }

    @Test
    @Tag("R3")
    void putsTheConditionOfAColumnIntoTheStatementItself() {
        write(33, session -> session.persist(new Invoice(1, "open")));
        List<String> sent = Recorder.record(database, session -> {
            Fencing.in(session).by(stamp(34));
            session.find(Invoice.class, 1L).status = "paid";
        });

        assertThat(sent)
                .filteredOn(sql -> sql.startsWith("update"))
                .singleElement()
                .asString()
                .contains("lastFence=?", "where id=? and version=? and lastFence<=?");
        assertThat(invoice(1).lastFence).isEqualTo(34);
    }

    @Test
    @Tag("R12")
    void aClaimInTheTableOfFencesBindsRowsWithAColumn() {
        write(3, session -> {
            session.persist(new Invoice(1, "open"));
            session.persist(new Invoice(2, "open"));
        });
        guard().claim("invoice:1", stamp(9));

        assertStale(3, 9, session -> session.find(Invoice.class, 1L).status = "stale");
        assertStale(3, 9, session -> session.find(Invoice.class, 1L).tags.add("stale"));
        assertStale(3, 9, session -> session.remove(session.find(Invoice.class, 1L)));
        assertStale(3, 9, session -> Fencing.in(session).enter(Invoice.class, 1L));
        write(3, session -> session.find(Invoice.class, 2L).status = "another resource");
        write(9, session -> session.find(Invoice.class, 1L).status = "paid");
        assertThat(invoice(1).status).isEqualTo("paid");
    }

    @Test
    @Tag("R10")
    void namesARowByWhatItHoldsAndNotByWhatTheProgramAssigned() {
        write(34, session -> {
            Shop shop = new Shop(1, "corner");
            session.persist(shop);
            session.persist(new Parcel(1, shop));
        });
        guard().claim("shop:1", stamp(35));

        assertStale(34, 35, session -> {
            Parcel parcel = session.find(Parcel.class, 1L);
            parcel.shopId = 2; // is not updatable, so the row stays of shop 1
            parcel.shop = null;
        });
    }

    @Test
    @Tag("R2")
    void aRowAndItsCollectionAreOneWriteOfItsColumnAlsoInABatch() {
        write(34, session -> session.persist(new ColumnBasket("basket")));

        write(35, session -> {
            ColumnBasket basket = session.find(ColumnBasket.class, "basket");
            basket.text = "changed"; // waits in the batch while the collection takes the row
            basket.items.add("item");
        });

        assertRead(session -> session.find(ColumnBasket.class, "basket").text).isEqualTo("changed");
        assertStale(
                35,
                35,
                session -> session.find(ColumnBasket.class, "basket").items.add("again"));
    }

    @Test
    @Tag("R6")
    void tellsStaleFromAnotherVersionAndFromNoSuchRow() {
        write(34, session -> {
            session.persist(new Invoice(1, "open"));
            session.persist(new Shop(1, "corner"));
        });
        Invoice old = invoice(1);
        Shop oldShop = read(session -> session.find(Shop.class, 1L));
        write(35, session -> {
            session.find(Invoice.class, 1L).status = "sent";
            session.find(Shop.class, 1L).name = "mall";
        });
        old.status = "late";
        oldShop.name = "late";

        // whatever the version: a stale holder is told so
        assertStale(34, 35, session -> session.find(Invoice.class, 1L).status = "stale");
        assertStale(34, 35, session -> session.find(Shop.class, 1L).name = "stale");
        // not stale, but of an older version
        assertConflict(36, session -> session.merge(old));
        assertConflict(36, session -> session.merge(oldShop));
        // gone under our feet
        assertConflict(36, session -> {
            session.find(Invoice.class, 1L).status = "of a deleted row";
            write(36, other -> other.remove(other.find(Invoice.class, 1L)));
        });
    }

    @Test
    void decidesAtTheDatabaseAndNotByWhatTheSessionHasRead() {
        write(33, session -> session.persist(new Invoice(1, "open")));

        Throwable thrown = catchThrowable(() -> write(34, session -> {
            session.find(Invoice.class, 1L).status = "slow";
            write(35, other -> other.find(Invoice.class, 1L).status = "quick");
        }));

        assertThat(Fencing.refusal(thrown)).containsInstanceOf(StaleTokenException.class);
        assertThat(invoice(1).status).isEqualTo("quick");
    }

    @Test
    void keepsWithBatchesAndNamesTheStaleOne() {
        write(33, session -> {
            for (long id = 1; id <= 25; id++) {
                session.persist(new Invoice(id, "open"));
                session.persist(new Shop(id, "shop"));
            }
        });
        write(35, session -> session.find(Invoice.class, 17L).status = "newer");

        StaleTokenException refusal = (StaleTokenException) refusal(() -> write(34, session -> {
            for (long id = 1; id <= 25; id++) {
                session.find(Invoice.class, id).status = "of 34";
            }
        }));

        assertThat(refusal.resource()).isEqualTo("invoice:17");
        assertThat(refusal.highest()).isEqualTo(FencingToken.of(35));
        assertRead(session -> session.createSelectionQuery("from Invoice where status = 'of 34'", Invoice.class)
                        .getResultList())
                .isEqualTo(List.of());
        write(36, session -> {
            for (long id = 1; id <= 25; id++) {
                session.find(Invoice.class, id).status = "of 36";
                session.find(Shop.class, id).name = "of 36";
            }
        });
        assertThat(invoice(25).lastFence).isEqualTo(36);
    }

    @Test
    @Tag("R5")
    void refusesAStaleInsertAfterADelete() {
        write(34, session -> {
            session.persist(new Invoice(1, "open"));
            session.persist(new Shop(1, "corner"));
        });
        write(35, session -> {
            session.remove(session.find(Invoice.class, 1L));
            session.remove(session.find(Shop.class, 1L));
        });

        assertStale(34, 35, session -> session.persist(new Invoice(1, "back from the dead")));
        assertStale(34, 35, session -> session.persist(new Shop(1, "back from the dead")));
        write(36, session -> session.persist(new Invoice(1, "made anew")));
        assertThat(invoice(1).lastFence).isEqualTo(36);
    }

    @Test
    void refusesAStaleDelete() {
        write(34, session -> session.persist(new Invoice(1, "open")));
        write(35, session -> session.find(Invoice.class, 1L).status = "sent");

        assertStale(34, 35, session -> session.remove(session.find(Invoice.class, 1L)));
        assertThat(invoice(1).status).isEqualTo("sent");
    }

    @Test
    void countsAChangeOfACollectionAsAChange() {
        write(34, session -> session.persist(new Invoice(1, "open")));
        write(35, session -> session.find(Invoice.class, 1L).tags.add("first"));

        assertThat(invoice(1).lastFence).isEqualTo(35);
        assertStale(34, 35, session -> session.find(Invoice.class, 1L).tags.add("stale"));
        assertStale(34, 35, session -> session.find(Invoice.class, 1L).tags.clear());
    }

    @Test
    void fencesWhatIsWrittenByACascadeByItsOwnFence() {
        write(34, session -> {
            Shop shop = new Shop(1, "corner");
            shop.parcels.add(new Parcel(1, shop));
            session.persist(shop);
        });
        guard().claim("shop:1", stamp(35));

        assertStale(34, 35, session -> {
            Shop shop = session.find(Shop.class, 1L);
            shop.parcels.add(new Parcel(2, shop));
        });
        assertStale(34, 35, session -> session.find(Shop.class, 1L).parcels.clear());
        write(35, session -> session.find(Shop.class, 1L).parcels.clear());
        assertRead(session -> session.find(Parcel.class, 1L)).isNull();
    }

    @Test
    void comparesTextInAColumnThatMayBeNull() {
        database.sessions()
                .inTransaction(session -> Fencing.in(session)
                        .bulk(
                                List.of(),
                                () -> session.createNativeMutationQuery(
                                                "insert into text_invoice (id, status) values (1, 'unfenced')")
                                        .executeUpdate()));

        write(9, session -> session.find(TextInvoice.class, 1L).status = "first");
        write(10, session -> session.find(TextInvoice.class, 1L).status = "second");

        assertRead(session -> session.find(TextInvoice.class, 1L).lastFence).isEqualTo("000000000000010");
        assertStale(9, 10, session -> session.find(TextInvoice.class, 1L).status = "stale");
    }

    @Test
    void fencesRowsThatTheDatabaseNumbers() {
        Numbered row = new Numbered();
        write(34, session -> session.persist(row));
        assertThat(guard().highest("numbered:" + row.id)).contains(stamp(34));

        guard().claim("numbered:" + (row.id + 1), stamp(40));
        assertStale(39, 40, session -> session.persist(new Numbered()));
        assertRead(session -> session.createSelectionQuery("select count(*) from Numbered", Long.class)
                        .getSingleResult())
                .isEqualTo(1L);
    }

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
    void forcedIncrementsOfTheVersionAskTheColumn() {
        write(34, session -> session.persist(new Invoice(1, "open")));
        write(35, session -> session.find(Invoice.class, 1L).status = "sent");

        Throwable thrown = catchThrowable(() -> write(
                34,
                session -> session.lock(
                        session.find(Invoice.class, 1L),
                        jakarta.persistence.LockModeType.PESSIMISTIC_FORCE_INCREMENT)));

        assertThat(thrown).isNotNull();
        assertThat(invoice(1).version).isEqualTo(1);
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

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    private static JdbcFenceGuard guard() {
        return JdbcFenceGuard.on(database.source());
    }

    private static void write(long token, Consumer<Session> work) {
        database.sessions().inTransaction(session -> {
            Fencing.in(session).by(stamp(token));
            work.accept(session);
        });
    }

    private static void stateless(long token, Consumer<StatelessSession> work) {
        database.sessions().inStatelessTransaction(session -> {
            Fencing.in(session).by(stamp(token));
            work.accept(session);
        });
    }

    private static <T> T read(Function<Session, T> work) {
        return database.sessions().fromTransaction(work::apply);
    }

    private static ObjectAssert<Object> assertRead(Function<Session, Object> work) {
        return assertThat(database.sessions().<Object>fromTransaction(work::apply));
    }

    private static Invoice invoice(long id) {
        return read(session -> session.find(Invoice.class, id));
    }

    private static long statements() {
        return Recorder.writes();
    }

    private static RefusedWriteException refusal(Runnable act) {
        Throwable thrown = catchThrowable(act::run);
        assertThat(thrown).isNotNull();
        return Fencing.refusal(thrown).orElseThrow(() -> new AssertionError("no refusal", thrown));
    }

    private static void assertStale(long token, long highest, Consumer<Session> work) {
        RefusedWriteException refusal = refusal(() -> write(token, work));
        assertThat(refusal).isInstanceOf(StaleTokenException.class);
        assertThat(((StaleTokenException) refusal).highest()).isEqualTo(FencingToken.of(highest));
        assertThat(((StaleTokenException) refusal).presented()).isEqualTo(stamp(token));
    }

    private static void assertConflict(long token, Consumer<Session> work) {
        Throwable thrown = catchThrowable(() -> write(token, work));
        assertThat(Fencing.refusal(thrown)).isEmpty();
        assertThat(thrown).isInstanceOfAny(OptimisticLockException.class, StaleObjectStateException.class);
    }
}
