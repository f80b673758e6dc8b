package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.hibernate.Fenced;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Entities with fences of their own, written in methods that know nothing of stamps. */
class FencedEntityTest {

    private AnnotationConfigApplicationContext context;
    private Orders orders;
    private JdbcFenceGuard guard;

    @BeforeEach
    void start() {
        context = new AnnotationConfigApplicationContext(Application.class);
        orders = context.getBean(Orders.class);
        guard = context.getBean(JdbcFenceGuard.class);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    @Test
    void writesUnderTheStampOfTheMethod() {
        orders.put("42", "paid", () -> {});

        assertThat(orders.find("42")).isEqualTo("paid");
        assertThat(guard.highest("order:42")).isPresent();
    }

    @Test
    void writesUnderTheStampOfTheInnermostCall() throws Exception {
        context.getBean(LockTemplate.class).run("outer", lease -> orders.put("42", "paid", () -> {}));

        assertThat(guard.highest("order:42").orElseThrow().key()).isEqualTo(LockKey.of("customer:1"));
    }

    @Test
    void throwsTheRefusalItself() {
        assertThatThrownBy(() -> orders.put("42", "late", () -> guard.claim("order:42", newer())))
                .isInstanceOf(StaleTokenException.class);
        assertThat(orders.find("42")).isNull();
    }

    @Test
    void refusesAMethodWithoutAStamp() {
        assertThatThrownBy(() -> orders.putUnlocked("42")).hasRootCauseInstanceOf(MissingTokenException.class);
    }

    @Test
    void leavesNoStampInASessionThatGoesOn() {
        EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
        TransactionTemplate transactions = new TransactionTemplate(context.getBean(JpaTransactionManager.class));
        EntityManager session = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(session));
        try {
            orders.put("42", "paid", () -> {});
            assertThatThrownBy(() -> transactions.executeWithoutResult(
                            status -> session.find(Order.class, "42").state = "changed"))
                    .hasRootCauseInstanceOf(MissingTokenException.class);
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            session.close();
        }
    }

    /** A statement has failed, so PostgreSQL takes no further one: the fence must not be entered. */
    @Test
    void leavesATransactionThatCannotCommitItsOwnOutcome() {
        TransactionTemplate transactions = new TransactionTemplate(context.getBean(JpaTransactionManager.class));

        assertThatThrownBy(() -> context.getBean(LockTemplate.class)
                        .run(
                                "customer:1",
                                lease -> transactions.executeWithoutResult(outer -> {
                                    assertThatThrownBy(() -> orders.failInTheDatabase())
                                            .isInstanceOf(PersistenceException.class);
                                })))
                .isInstanceOf(UnexpectedRollbackException.class);
    }

    /** The mark of a status does not reach the entity transaction, which commits. */
    @Test
    void guardsATransactionThatIsMarkedForRollbackWhileItCommits() {
        TransactionTemplate transactions = new TransactionTemplate(context.getBean(JpaTransactionManager.class));

        assertThatThrownBy(() -> context.getBean(LockTemplate.class)
                        .run(
                                "customer:1",
                                lease -> transactions.executeWithoutResult(status -> {
                                    guard.claim("customer:1", newer());
                                    TransactionSynchronizationManager.registerSynchronization(
                                            new TransactionSynchronization() {
                                                @Override
                                                public void beforeCommit(boolean readOnly) {
                                                    status.setRollbackOnly();
                                                }
                                            });
                                })))
                .isInstanceOf(StaleTokenException.class);
    }

    @Test
    void warnsOnceOfASessionThatIsOlderThanTheLock() throws Exception {
        LockTemplate template = context.getBean(LockTemplate.class);
        TransactionTemplate transactions = new TransactionTemplate(context.getBean(JpaTransactionManager.class));
        EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
        EntityManager session = factory.createEntityManager();
        List<String> warnings = new ArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord line) {
                warnings.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.fenceline.spring");
        logger.addHandler(log);
        try {
            template.run("a", lease -> transactions.executeWithoutResult(status -> join(template, "a")));
            assertThat(warnings).isEmpty(); // its session is younger than the lock

            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(session));
            orders.put("42", "paid", () -> {});
            orders.put("43", "paid", () -> {});
        } finally {
            TransactionSynchronizationManager.unbindResourceIfPossible(factory);
            session.close();
            logger.removeHandler(log);
        }
        assertThat(warnings).singleElement().asString().contains("spring.jpa.open-in-view=false");
    }

    private static void join(LockTemplate template, String key) {
        try {
            template.run(key, lease -> {});
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static FenceStamp newer() {
        FenceStamp stamp = CurrentLease.stamp();
        return new FenceStamp(stamp.key(), FencingToken.of(stamp.token().value() + 1));
    }

    @Entity
    @Table(name = "orders")
    @Fenced(resource = "order:{id}")
    static class Order {
        @Id
        String id;

        String state;
    }

    static class Orders {

        private final EntityManager entities;

        Orders(EntityManager entities) {
            this.entities = entities;
        }

        @Locked(key = "customer:1", fences = "customer:1")
        @Transactional
        void put(String id, String state, Runnable beforeCommit) {
            putUnlocked(id).state = state;
            beforeCommit.run();
        }

        @Transactional
        Order putUnlocked(String id) {
            Order order = new Order();
            order.id = id;
            entities.persist(order);
            return order;
        }

        @Transactional
        void failInTheDatabase() {
            entities.createNativeQuery("select 1 / 0").getSingleResult();
        }

        @Transactional
        String find(String id) {
            Order order = entities.find(Order.class, id);
            return order == null ? null : order.state;
        }
    }

    @Configuration
    @EnableTransactionManagement
    @Import(AutoProxies.class)
    static class Application {

        @Bean(destroyMethod = "close")
        HikariDataSource source() {
            HikariDataSource source =
                    TestDatabase.pool(TestDatabase.POSTGRESQL.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
            new JdbcTemplate(source).execute("create table orders (id varchar(100) primary key, state varchar(100))");
            return source;
        }

        @Bean
        EntityManagerFactory factory(DataSource source) {
            return TransactionManagers.factory(source, Order.class);
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        JdbcFenceGuard guard(DataSource source) {
            return JdbcFenceGuard.on(source);
        }

        @Bean
        TransactionFences fences(JdbcFenceGuard guard, DataSource source) {
            return TransactionFences.of(guard, source);
        }

        @Bean
        Locks locks() {
            return Locks.over(new MemoryLockBackend());
        }

        @Bean
        LockTemplate lockTemplate(Locks locks, TransactionFences fences) {
            return LockTemplate.of(locks).withFences(fences);
        }

        @Bean
        static LockedAdvisor lockedAdvisor(ConfigurableListableBeanFactory beans) {
            return new LockedAdvisor(LockedAdvisor.ORDER, beans);
        }

        @Bean
        Orders orders(EntityManagerFactory factory) {
            return new Orders(SharedEntityManagerCreator.createSharedEntityManager(factory));
        }
    }
}
