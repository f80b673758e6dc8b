package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fenced entities whose tables have triggers too, for those who write them without Hibernate. */
@Tag("R8")
class TriggeredTableTest {

    private static Database database;

    @BeforeAll
    static void openDatabase() throws Exception {
        database = Database.open();
        try (Connection connection = database.source().getConnection()) {
            for (String table : List.of("invoice", "shop", "numbered", "column_note")) {
                GuardedTables.install(connection, GuardedTable.of(table, "id"), "fenceline_fences");
            }
        }
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @Test
    void entitiesShowTheirStampsToTheTriggers() {
        write(5, session -> {
            session.persist(new Invoice(1, "open"));
            session.persist(new Shop(1, "corner"));
            session.persist(new Numbered());
        });
        write(5, session -> session.find(Invoice.class, 1L).status = "paid");
        write(
                5,
                session -> Fencing.in(session)
                        .bulk(
                                List.of("shop:1"),
                                () -> session.createMutationQuery("update Shop set name = 'bulk' where id = 1")
                                        .executeUpdate()));
        database.sessions().inStatelessTransaction(session -> {
            Fencing.in(session).by(stamp("lock", 5));
            session.insert(new Invoice(2, "stateless"));
        });

        assertThat(name()).isEqualTo("bulk");
        assertThat(JdbcFenceGuard.on(database.source()).highest("invoice/1")).contains(stamp("lock", 5));
    }

    @Test
    void aRowThatTheDatabaseNumbersShowsItsStampThoughItHasNoNameYet() {
        write(5, session -> session.persist(new Numbered()));
        database.sessions().inStatelessTransaction(session -> {
            Fencing.in(session).by(stamp("lock", 5));
            session.insert(new Numbered());
        });

        long rows = database.sessions()
                .fromTransaction(session -> session.createQuery("select count(*) from Numbered", Long.class)
                        .getSingleResult());
        assertThat(rows).isGreaterThanOrEqualTo(2);
    }

    @Test
    void eachRowIsWrittenUnderItsOwnStamp() {
        database.sessions().inTransaction(session -> {
            for (long id = 11; id <= 14; id++) {
                Fencing.in(session).by("shop:" + id, stamp("lock " + id, id));
                session.persist(new Shop(id, "of its own lock"));
            }
        });

        for (long id = 11; id <= 14; id++) {
            assertThat(JdbcFenceGuard.on(database.source()).highest("shop/" + id))
                    .contains(stamp("lock " + id, id));
        }
    }

    @Test
    void rowsOfOneBatchAreWrittenUnderTheirOwnStamps() {
        List<Shop> shops = LongStream.rangeClosed(31, 34)
                .mapToObj(id -> new Shop(id, "of its own lock"))
                .toList();

        database.sessions().inStatelessTransaction(session -> {
            shops.forEach(shop -> Fencing.in(session).by("shop:" + shop.id, stamp("lock " + shop.id, shop.id)));
            session.insertMultiple(shops);
        });

        for (Shop shop : shops) {
            assertThat(JdbcFenceGuard.on(database.source()).highest("shop/" + shop.id))
                    .contains(stamp("lock " + shop.id, shop.id));
        }
    }

    /** Increments come without an event, and wait in a batch as others do: also while a query or a flush comes in between. */
    @ParameterizedTest
    @CsvSource({"41, nothing", "51, query", "61, flush", "71, enter", "81, bulk"})
    void incrementsOfOneBatchAreWrittenUnderTheirOwnStamps(long first, String between) {
        write(5, session -> each(first, 0, session, id -> session.persist(new Shop(id, "of its own lock"))));

        write(
                5,
                session -> each(first, 10, session, id -> {
                    session.find(Shop.class, id, LockMode.PESSIMISTIC_FORCE_INCREMENT);
                    comesBetween(session, between);
                }));

        for (long id = first; id < first + 4; id++) {
            assertThat(JdbcFenceGuard.on(database.source()).highest("shop/" + id))
                    .contains(stamp("lock " + id, id + 10));
        }
    }

    private static void each(long first, long newer, Session session, LongConsumer change) {
        for (long id = first; id < first + 4; id++) {
            Fencing.in(session).by("shop:" + id, stamp("lock " + id, id + newer));
            change.accept(id);
        }
    }

    private static void comesBetween(Session session, String what) {
        switch (what) {
            case "query" -> session.createQuery("from Invoice", Invoice.class).list();
            case "flush" -> session.flush();
            case "enter" -> Fencing.in(session).enter(ColumnNote.class, "beside");
            case "bulk" -> Fencing.in(session).bulk(List.of(), () -> 0);
            default -> {}
        }
    }

    @Test
    void aStampThatWasRolledBackWithASavepointIsShownAgain() {
        database.sessions().inStatelessTransaction(session -> {
            Fencing.in(session).by(stamp("lock", 5));
            Savepoint savepoint = session.doReturningWork(Connection::setSavepoint);
            session.insert(numbered("undone"));
            session.doWork(connection -> connection.rollback(savepoint));
            session.insert(numbered("kept by a stateless session"));
        });
        database.sessions().inTransaction(session -> {
            Fencing.in(session).by(stamp("lock", 5));
            Savepoint savepoint = session.doReturningWork(Connection::setSavepoint);
            session.persist(numbered("undone"));
            session.clear();
            session.doWork(connection -> connection.rollback(savepoint));
            session.persist(numbered("kept by a session"));
        });

        List<String> kept = database.sessions()
                .fromTransaction(session -> session.createQuery(
                                "select text from Numbered where text is not null order by id", String.class)
                        .getResultList());
        assertThat(kept).containsExactly("kept by a stateless session", "kept by a session");
    }

    private static Numbered numbered(String text) {
        Numbered row = new Numbered();
        row.text = text;
        return row;
    }

    @Test
    void aFenceColumnIsEnteredUnderTheStamp() {
        write(5, session -> {
            ColumnNote note = new ColumnNote();
            note.name("entered");
            session.persist(note);
        });

        write(7, session -> Fencing.in(session).enter(ColumnNote.class, "entered"));

        ColumnNote entered = database.sessions().fromTransaction(session -> session.find(ColumnNote.class, "entered"));
        assertThat(entered.lastFence).isEqualTo(7);
    }

    @Test
    void aRefusalByTheTriggerIsFoundLikeAnother() {
        write(5, session -> session.persist(new Shop(21, "corner")));
        JdbcFenceGuard.on(database.source()).claim("shop/21", stamp("lock", 9));

        Throwable stale = catchThrowable(() -> write(5, session -> session.find(Shop.class, 21L).name = "stale"));
        Throwable missing = catchThrowable(() -> database.sessions()
                .inTransaction(session -> session.doWork(connection -> {
                    try (var statement = connection.createStatement()) {
                        statement.executeUpdate("update shop set name = 'plain'");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                })));

        assertThat(Fencing.refusal(stale)).containsInstanceOf(StaleTokenException.class);
        assertThat(Fencing.refusal(missing)).containsInstanceOf(MissingTokenException.class);
    }

    private static FenceStamp stamp(String lock, long token) {
        return new FenceStamp(LockKey.of(lock), FencingToken.of(token));
    }

    private static void write(long token, Consumer<Session> work) {
        database.sessions().inTransaction(session -> {
            Fencing.in(session).by(stamp("lock", token));
            work.accept(session);
        });
    }

    private static String name() {
        return database.sessions().fromTransaction(session -> session.find(Shop.class, 1L).name);
    }
}
