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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
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
        try (HikariDataSource source = TestDatabase.pool(database.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
                EntityManagerFactory factory = TransactionManagers.factory(source, OnceText.class);
                Locks locks = Locks.over(new MemoryLockBackend())) {
            TransactionFences fences = TransactionFences.of(
                    JdbcFenceGuard.on(source, GuardOptions.defaults().withRule(rule)), source);
            JpaTransactionManager manager = new JpaTransactionManager(factory);
            fences.addTo(manager);
            TransactionTemplate transactions = new TransactionTemplate(manager);
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            AtomicInteger writes = new AtomicInteger();
            LockTemplate template = LockTemplate.of(locks).withFences(fences);
            Runnable write = () -> transactions.executeWithoutResult(status -> {
                OnceText text = new OnceText();
                text.id = "a";
                text.text = String.valueOf(writes.incrementAndGet());
                entities.merge(text);
                if (flushed) {
                    entities.flush();
                }
            });

            for (int grant = 1; grant <= 2; grant++) {
                template.run("texts/a", lease -> {
                    write.run();
                    assertThatExceptionOfType(Exception.class)
                            .isThrownBy(write::run)
                            .matches(e -> Fencing.refusal(e)
                                    .filter(StaleTokenException.class::isInstance)
                                    .isPresent());
                });
                assertThat(transactions.<List<?>>execute(status -> entities.createQuery("select text from OnceText")
                                .getResultList()))
                        .hasSize(1);
            }
        }
    }
}
