package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Identifiers that the database calls equal, or makes equal, though they differ in Java. */
@Tag("R10")
class StoredColumnTest {

    private static final FenceStamp OLD = new FenceStamp(LockKey.of("lock"), FencingToken.of(3));
    private static final FenceStamp NEW = new FenceStamp(LockKey.of("lock"), FencingToken.of(5));

    @Test
    void textsThatTheDatabaseComparesLooselyAreRefused() {
        assertRefused(Store.MARIADB, ByDefault.class, new ByDefault(), "compares byte by byte");
        assertRefused(Store.H2, ByLoose.class, new ByLoose(), "compares byte by byte");
    }

    @Test
    void aTableWithoutTransactionsIsRefused() {
        assertRefused(Store.MARIADB, WithoutTransactions.class, new WithoutTransactions(), "which has no transactions");
        assertRefused(Store.MARIADB, WithoutName.class, new WithoutName(), "which has no transactions");
        assertRefused(Store.MARIADB, InTwoTables.class, new InTwoTables(), "table second has the engine MyISAM");
    }

    private static void assertRefused(Store store, Class<?> type, Object row, String words) {
        try (SessionFactory sessions = factory(store.newGuardedUrl(), type)) {
            assertThatThrownBy(() -> sessions.inTransaction(session -> {
                        Fencing.in(session).by(NEW);
                        session.persist(row);
                    }))
                    .hasStackTraceContaining(words);
            sessions.inTransaction(session -> assertThat(
                            session.createSelectionQuery("from " + type.getSimpleName(), type)
                                    .list())
                    .isEmpty());
        }
    }

    @Test
    void spacesAtTheEndDoNotCountWhereTheDatabaseIgnoresThem() {
        String url = Store.MARIADB.newGuardedUrl();
        try (SessionFactory sessions = factory(url, ByPadded.class)) {
            sessions.inTransaction(session -> {
                Fencing.in(session).by(NEW);
                session.persist(new ByPadded("ab", "new"));
            });

            assertThatThrownBy(() -> sessions.inStatelessTransaction(session -> {
                        Fencing.in(session).by(OLD);
                        session.update(new ByPadded("ab ", "stale"));
                    }))
                    .matches(e -> Fencing.refusal(e)
                            .filter(StaleTokenException.class::isInstance)
                            .isPresent());
            assertThat(JdbcFenceGuard.on(Store.MARIADB.source(url)).highest("padded/ab"))
                    .contains(NEW);
        }
    }

    static SessionFactory factory(String url, Class<?>... entities) {
        Configuration configuration = new Configuration();
        configuration.setProperty("hibernate.connection.url", url);
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        for (Class<?> entity : entities) {
            configuration.addAnnotatedClass(entity);
        }
        return configuration.buildSessionFactory();
    }

    @Entity(name = "ByDefault")
    @Fenced(resource = "default/{id}")
    static class ByDefault {
        @Id
        @Column(columnDefinition = "varchar(20) collate utf8mb4_general_ci")
        String id = "ab";
    }

    @Entity(name = "WithoutTransactions")
    @Table(options = "engine=MyISAM")
    @Fenced(resource = "without/{id}")
    static class WithoutTransactions {
        @Id
        long id;
    }

    @Entity(name = "WithoutName")
    @Table(options = "engine=MyISAM")
    @Fenced(resource = "without a name")
    static class WithoutName {
        @Id
        long id;
    }

    @Entity(name = "InTwoTables")
    @SecondaryTable(name = "second", options = "engine=MyISAM")
    @Fenced(resource = "two/{id}")
    static class InTwoTables {
        @Id
        long id;

        @Column(table = "second")
        String text = "new";
    }

    @Entity(name = "ByLoose")
    @Fenced(resource = "loose/{id}")
    static class ByLoose {
        @Id
        @Column(columnDefinition = "varchar_ignorecase(20)")
        String id = "ab";
    }

    @Entity(name = "ByPadded")
    @Fenced(resource = "padded/{id}")
    static class ByPadded {
        @Id
        @Column(columnDefinition = "varchar(20) collate utf8mb4_bin")
        String id;

        String text;

        ByPadded() {}

        ByPadded(String id, String text) {
            this.id = id;
            this.text = text;
        }
    }
}
