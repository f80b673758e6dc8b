package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Locks;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.hibernate.Fenced;
import io.fenceline.hibernate.Fencing;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.support.TransactionTemplate;

/** Entities that each grant writes once, under a lock that names the same resource: the whole transaction is one write. */
@Tag("R2")
class OnceEntityTest {

    @Entity(name = "OnceText")
    @Table(name = "texts")
    @Fenced(resource = "texts/{id}", rule = FenceRule.ONCE)
    static class OnceText {

        @Id
        @Column(name = "name")
        String id;

        String text;
    }

    private final Locks locks = Locks.over(new MemoryLockBackend());
    private final AtomicInteger writes = new AtomicInteger();
    private HikariDataSource source;
    private EntityManagerFactory factory;
    private TransactionFences fences;
    private TransactionTemplate transactions;
    private EntityManager entities;
    private LockTemplate template;

    private void open(TestDatabase database, FenceRule rule) {
        source = TestDatabase.pool(database.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
        factory = TransactionManagers.factory(source, OnceText.class);
        fences = TransactionFences.of(
                JdbcFenceGuard.on(source, GuardOptions.defaults().withRule(rule)), source);
        JpaTransactionManager manager = new JpaTransactionManager(factory);
        fences.addTo(manager);
        transactions = new TransactionTemplate(manager);
        entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        template = LockTemplate.of(locks).withFences(fences);
    }

    @AfterEach
    void close() {
        locks.close();
        factory.close();
        source.close();
    }

    static Stream<Arguments> transactions() {
        return Stream.of(TestDatabase.POSTGRESQL, TestDatabase.H2)
                .flatMap(database -> Stream.of(FenceRule.values())
                        .flatMap(rule -> Stream.of(false, true).map(flushed -> Arguments.of(database, rule, flushed))));
    }

    /**
     * @param rule of the guard of transactions
     * @param flushed whether the session is flushed before the commit
     */
    @ParameterizedTest
    @MethodSource("transactions")
    void areWrittenInOneTransactionOfAGrant(TestDatabase database, FenceRule rule, boolean flushed) throws Exception {
        open(database, rule);
        Runnable write = () -> transactions.executeWithoutResult(status -> {
            merge();
            if (flushed) {
                entities.flush();
            }
        });

        for (int grant = 1; grant <= 2; grant++) {
            template.run("texts/a", lease -> {
                write.run();
                assertStale(write);
            });
        }
        assertThat(text()).isEqualTo("3");
    }

    @ParameterizedTest
    @EnumSource(FenceRule.class)
    void mayBeEnteredOnceTheyAreWritten(FenceRule rule) throws Exception {
        open(TestDatabase.POSTGRESQL, rule);
        Runnable write = () -> transactions.executeWithoutResult(status -> {
            merge();
            fences.enter("texts/a");
        });

        template.run("texts/a", lease -> {
            write.run();
            assertStale(write);
        });
        assertThat(text()).isEqualTo("1");
    }

    @Test
    void countAlsoWhereTheirWriteIsUndoneByASavepoint() throws Exception {
        open(TestDatabase.POSTGRESQL, FenceRule.ONCE);
        JdbcTemplate plain = new JdbcTemplate(source);
        Runnable write = () -> transactions.executeWithoutResult(status -> {
            plain.execute("savepoint before");
            merge();
            entities.flush();
            entities.clear();
            plain.execute("rollback to savepoint before");
            plain.update("insert into texts values (?, 'plain')", "b" + writes.incrementAndGet());
        });

        template.run("texts/a", lease -> {
            write.run();
            assertStale(write);
        });
        assertThat(plain.queryForObject("select count(*) from texts", Integer.class))
                .isOne();
    }

    /** A session of another database has its own count. */
    @Test
    void countInTheirOwnDatabase() throws Exception {
        open(TestDatabase.H2, FenceRule.ONCE);
        try (HikariDataSource other =
                TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED")) {
            JdbcFenceGuard once =
                    JdbcFenceGuard.on(other, GuardOptions.defaults().withRule(FenceRule.ONCE));
            TransactionFences both = fences.and(once, other);
            JdbcTransactionManager manager = new JdbcTransactionManager(other);
            JpaTransactionManager ofEntities = new JpaTransactionManager(factory);
            both.addTo(manager);
            both.addTo(ofEntities);
            Runnable elsewhere = () -> new TransactionTemplate(manager)
                    .executeWithoutResult(status -> new JdbcTemplate(other)
                            .update("insert into texts values (?, 'plain')", "b" + writes.incrementAndGet()));

            LockTemplate.of(locks).withFences(both).run("texts/a", lease -> {
                new TransactionTemplate(ofEntities).executeWithoutResult(status -> {
                    merge();
                    entities.flush();
                    elsewhere.run();
                });
                assertStale(elsewhere);
            });
        }
    }

    private void merge() {
        OnceText text = new OnceText();
        text.id = "a";
        text.text = String.valueOf(writes.incrementAndGet());
        entities.merge(text);
    }

    private String text() {
        return new JdbcTemplate(source).queryForObject("select text from texts where name = 'a'", String.class);
    }

    private static void assertStale(Runnable write) {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(write::run)
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
    }
}
