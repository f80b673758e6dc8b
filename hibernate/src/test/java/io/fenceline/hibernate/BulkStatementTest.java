package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.query.NativeQuery;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statements for many rows at once ask for no fence, and are refused unless the program says which fences cover them. */
@Tag("R8")
class BulkStatementTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("lock"), FencingToken.of(34));
    private static Database database;

    @BeforeAll
    static void openDatabase() {
        database = Database.open();
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @BeforeEach
    void makeAShop() {
        database.empty();
        database.sessions().inTransaction(session -> {
            Fencing.in(session).by(STAMP);
            session.persist(new Shop(1, "corner"));
            session.persist(new Invoice(1, "open"));
        });
    }

    @Test
    void refusesThemAlsoWithAStamp() {
        List<ToIntFunction<Session>> statements = List.of(
                session -> session.createMutationQuery("update Shop set name = 'bulk'")
                        .executeUpdate(),
                session -> session.createMutationQuery("update Invoice set status = 'bulk'")
                        .executeUpdate(),
                session -> session.createMutationQuery("delete from Shop").executeUpdate(),
                session -> session.createMutationQuery("insert into Shop (id, name, version) values (2, 'bulk', 0)")
                        .executeUpdate(),
                session -> session.createNativeMutationQuery("update shop set name = 'bulk'")
                        .executeUpdate(),
                session -> session.createNativeMutationQuery("DELETE FROM public.\"shop\"")
                        .executeUpdate(),
                session -> session.createNativeMutationQuery("delete from invoice_tags")
                        .executeUpdate(),
                session -> {
                    var update = session.getCriteriaBuilder().createCriteriaUpdate(Shop.class);
                    update.from(Shop.class);
                    update.set("name", "bulk");
                    return session.createMutationQuery(update).executeUpdate();
                });
        for (int i = 0; i < statements.size(); i++) {
            ToIntFunction<Session> statement = statements.get(i);
            for (int repeated = 0; repeated < 2; repeated++) { // the second is of Hibernate's cache of plans
                Throwable thrown = catchThrowable(() -> database.sessions().inTransaction(session -> {
                    Fencing.in(session).by(STAMP);
                    assertThat(statement.applyAsInt(session)).isZero(); // never reached
                }));
                assertThat(Fencing.refusal(thrown))
                        .as("statement " + i)
                        .containsInstanceOf(MissingTokenException.class);
                assertThat(thrown).hasStackTraceContaining("Fencing.in(session).bulk");
            }
        }
        assertThat(name()).isEqualTo("corner");
    }

    @Test
    void refusesThemInStatelessSessions() {
        Throwable thrown = catchThrowable(() -> database.sessions()
                .inStatelessTransaction(session -> session.createMutationQuery("update Shop set name = 'bulk'")
                        .executeUpdate()));

        assertThat(Fencing.refusal(thrown)).containsInstanceOf(MissingTokenException.class);
    }

    /** Of what a view or a function writes, the text says nothing. */
    @Test
    void refusesNativeStatementsThatDeclareToWriteAFencedEntity() {
        Throwable thrown = catchThrowable(() -> database.sessions().inTransaction(session -> {
            session.createNativeMutationQuery("create temporary view every_corner as select * from shop")
                    .executeUpdate();
            NativeQuery<?> statement =
                    (NativeQuery<?>) session.createNativeMutationQuery("update every_corner set name = 'bulk'");
            statement.addSynchronizedEntityClass(Shop.class).executeUpdate();
        }));

        assertThat(Fencing.refusal(thrown)).containsInstanceOf(MissingTokenException.class);
        assertThat(name()).isEqualTo("corner");
    }

    @Test
    void letsThemThroughUnderFencesThatAreNamed() {
        int changed = bulk(STAMP, "shop:1");

        assertThat(changed).isEqualTo(1);
        assertThat(name()).isEqualTo("bulk");
    }

    /** The statement of an entity is admitted by itself, which ends with it and not with the work. */
    @Test
    void letsThemThroughAlsoAfterARowWasWrittenInBetween() {
        int changed = database.sessions()
                .fromTransaction(session -> Fencing.in(session).by(STAMP).bulk(List.of("shop:1"), () -> {
                    session.persist(new Shop(2, "mall"));
                    session.flush();
                    return session.createMutationQuery("update Shop set name = 'bulk' where id = 1")
                            .executeUpdate();
                }));

        assertThat(changed).isEqualTo(1);
        assertThat(name()).isEqualTo("bulk");
    }

    @Test
    void refusesThemUnderFencesThatAreStale() {
        JdbcFenceGuard.on(database.source()).claim("shop:1", new FenceStamp(STAMP.key(), FencingToken.of(35)));

        Throwable thrown = catchThrowable(() -> bulk(STAMP, "shop:1"));

        assertThat(Fencing.refusal(thrown)).containsInstanceOf(StaleTokenException.class);
        assertThat(name()).isEqualTo("corner");
    }

    @Test
    void letsStatementsForOtherTablesThrough() {
        int changed = database.sessions()
                .fromTransaction(session -> session.createNativeMutationQuery(
                                "create temporary table shopping (shop_id bigint) on commit drop")
                        .executeUpdate());

        assertThat(changed).isZero();
    }

    @Test
    void letsStatementsThroughThatOnlyReadAFencedEntity() {
        List<String> statements = List.of(
                "insert into MatrixPlain (id, text) select s.id, s.name from Shop s",
                "update MatrixPlain p set p.text = 'a' where p.text in (select s.name from Shop s)",
                "update MatrixPlain p set p.text = (select s.name from Shop s where s.id = p.id)",
                "delete from MatrixPlain p where exists (select 1 from Shop s where s.name = p.text)");

        try (SessionFactory sessions = database.build(
                Map.of("hibernate.hbm2ddl.auto", "update"), Shop.class, Parcel.class, MatrixPlain.class)) {
            assertThat(statements)
                    .allSatisfy(statement -> assertThat(sessions.<Integer>fromTransaction(session ->
                                    session.createMutationQuery(statement).executeUpdate()))
                            .isEqualTo(1));
        }
    }

    @Test
    @Tag("R1")
    void refusesThemIfOneOfTheirFencesIsStale() {
        JdbcFenceGuard.on(database.source()).claim("shop:2", new FenceStamp(STAMP.key(), FencingToken.of(35)));

        assertThat(Fencing.refusal(catchThrowable(() -> bulk(STAMP, "shop:1", "shop:2"))))
                .containsInstanceOf(StaleTokenException.class);
        assertThat(name()).isEqualTo("corner");
    }

    @Test
    void claimsEachOfTheirFencesUnderItsOwnLock() {
        FenceStamp another = new FenceStamp(LockKey.of("another lock"), FencingToken.of(3));
        database.sessions()
                .inTransaction(session -> Fencing.in(session)
                        .by(STAMP)
                        .by("shop:2", another)
                        .bulk(
                                List.of("shop:1", "shop:2"),
                                () -> session.createMutationQuery("update Shop set name = 'bulk'")
                                        .executeUpdate()));

        JdbcFenceGuard guard = JdbcFenceGuard.on(database.source());
        assertThat(guard.highest("shop:1")).contains(STAMP);
        assertThat(guard.highest("shop:2")).contains(another);
    }

    private static int bulk(FenceStamp stamp, String... resources) {
        return database.sessions()
                .fromTransaction(session -> Fencing.in(session)
                        .by(stamp)
                        .bulk(
                                List.of(resources),
                                () -> session.createMutationQuery("update Shop set name = 'bulk'")
                                        .executeUpdate()));
    }

    private static String name() {
        return database.sessions().fromTransaction(session -> session.find(Shop.class, 1L).name);
    }
}
