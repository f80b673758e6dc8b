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
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.support.TransactionTemplate;

/** Entities that each grant writes once, under locks. */
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

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    void areWrittenInOneTransactionOfAGrantIfTheyAreFlushedBeforeItsCommit(TestDatabase database) throws Exception {
        open(database, FenceRule.AT_LEAST);

        for (int grant = 1; grant <= 2; grant++) {
            template.run("texts/a", lease -> {
                write(true);
                assertStale(() -> write(true));
            });
        }
        assertThat(text()).contains("3");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    void areWrittenAtTheCommitIfTheLockNamesAnotherResource(TestDatabase database) throws Exception {
        open(database, FenceRule.ONCE);

        template.run("job", lease -> {
            write(false);
            assertStale(() -> write(false));
        });
        assertThat(text()).contains("1");
    }

    /** The commit's own check counts as the grant's one write. */
    @ParameterizedTest
    @CsvSource({"AT_LEAST, false", "ONCE, false", "ONCE, true"})
    void areRefusedOtherwise(FenceRule rule, boolean flushed) throws Exception {
        open(TestDatabase.POSTGRESQL, rule);

        template.run("texts/a", lease -> assertStale(() -> write(flushed)));

        assertThat(text()).isEmpty();
    }

    private void write(boolean flushed) {
        transactions.executeWithoutResult(status -> {
            OnceText text = new OnceText();
            text.id = "a";
            text.text = String.valueOf(writes.incrementAndGet());
            entities.merge(text);
            if (flushed) {
                entities.flush();
            }
        });
    }

    private List<String> text() {
        return new JdbcTemplate(source).queryForList("select text from texts", String.class);
    }

    private static void assertStale(Runnable write) {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(write::run)
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
    }
}
