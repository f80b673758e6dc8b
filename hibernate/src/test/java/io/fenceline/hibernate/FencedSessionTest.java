package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FencingToken;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import java.util.List;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a session does to fenced entities, with all that Hibernate does in between. */
class FencedSessionTest extends FencedSessions {

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
        assertStale(3, 9, session -> Fencing.in(session).enter(Invoice.class, 1)); // as find takes it
        assertThatIllegalArgumentException()
                .isThrownBy(() -> write(9, session -> Fencing.in(session).enter(Invoice.class, List.of())))
                .withMessageContaining("'[]' is no identifier of");
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
    @Tag("R2")
    void aChangeOfACollectionAloneAsksTheColumnAndRaisesIt() {
        write(34, session -> session.persist(new ColumnBasket("basket")));
        write(35, session -> session.find(ColumnBasket.class, "basket").items.add("item"));
        assertRead(session -> session.find(ColumnBasket.class, "basket").lastFence)
                .isEqualTo(35L);
        database.sessions()
                .inTransaction(session -> Fencing.in(session)
                        .bulk(
                                List.of(),
                                () -> session.createNativeMutationQuery("update column_basket set lastFence = 99")
                                        .executeUpdate()));

        assertStale(
                40,
                99,
                session -> session.find(ColumnBasket.class, "basket").items.add("late"));
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

    private static long statements() {
        return Recorder.writes();
    }
}
