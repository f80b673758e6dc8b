package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.NotLeaderException;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class LeaderOnlyTest {

    private static MemoryStore store;

    private AnnotationConfigApplicationContext first;
    private AnnotationConfigApplicationContext second;

    @BeforeEach
    void start() {
        store = MemoryStore.create();
        first = new AnnotationConfigApplicationContext(Node.class);
        awaitLeading(first);
        second = new AnnotationConfigApplicationContext(Node.class);
    }

    @AfterEach
    void stop() {
        second.close();
        first.close();
    }

    @Test
    void runsOnTheLeaderOnly() {
        assertThat(jobs(first).run()).isPresent();
        assertThat(jobs(second).run()).isEmpty();
        assertThatThrownBy(() -> jobs(second).demanding()).isInstanceOf(NotLeaderException.class);
    }

    @Test
    void runsUnderTheStampOfTheTerm() {
        FenceStamp term = leadership(first).orElseThrow().current().orElseThrow();

        assertThat(jobs(first).run()).contains(term);
        assertThat(term.key()).isEqualTo(Election.keyOf("billing"));
        assertThat(FenceScope.current()).isEmpty();
    }

    @Test
    void refusesAResultWhoseWorkMayGoOnUnlessItIsDeclaredAsAStage() {
        CompletableFuture<String> work = new CompletableFuture<>();

        assertThatThrownBy(() -> jobs(first).undeclared(work))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@LeaderOnly on " + Jobs.class.getName() + ".undeclared(Object) cannot work")
                .hasMessageContaining("declare the result as CompletionStage");
        assertThat(jobs(first).declared(work)).isSameAs(work);
        assertThat(jobs(first).undeclared("done")).isEqualTo("done");
    }

    @Test
    void joinsItsTermWithinATransaction() {
        try (HikariDataSource source = TestDatabase.pool(TestDatabase.H2.newUrl(), "TRANSACTION_READ_COMMITTED")) {
            TransactionTemplate transactions = new TransactionTemplate(new JdbcTransactionManager(source));
            Supplier<Optional<FenceStamp>> inTransaction =
                    () -> transactions.execute(status -> jobs(first).run());

            assertThatThrownBy(inTransaction::get)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is within a transaction");
            assertThat(jobs(first).within(inTransaction)).isPresent();
            assertThat(FenceScope.current()).isEmpty();
        }
    }

    @Test
    void handsOverWhenAContextCloses() {
        first.close();

        awaitLeading(second);
        assertThat(jobs(second).run()).isPresent();
    }

    @Test
    void publishesElectionsInPairs() {
        Events events = first.getBean(Events.class);

        first.stop();
        assertThat(leadership(first)).isEmpty();
        assertThat(jobs(first).run()).isEmpty();
        second.stop();
        first.start();
        awaitLeading(first);
        first.close();

        assertThat(events.seen).hasSize(4);
        assertThat(events.seen.get(0)).isInstanceOf(LeaderElected.class);
        assertThat(events.seen.get(1))
                .isEqualTo(
                        new LeaderRevoked(((LeaderElected) events.seen.get(0)).leadership(), RevocationReason.CLOSED));
        assertThat(events.seen.get(2)).isInstanceOf(LeaderElected.class);
        assertThat(events.seen.get(3)).isInstanceOf(LeaderRevoked.class);
    }

    private static Jobs jobs(AnnotationConfigApplicationContext node) {
        return node.getBean(Jobs.class);
    }

    private static Optional<Leadership> leadership(AnnotationConfigApplicationContext node) {
        return node.getBean(ElectionLifecycle.class).leadership();
    }

    private static void awaitLeading(AnnotationConfigApplicationContext node) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> leadership(node).isPresent());
    }

    static class Jobs {

        @LeaderOnly("${group:billing}")
        Optional<FenceStamp> run() {
            return Optional.of(CurrentLease.stamp());
        }

        @LeaderOnly("billing")
        Optional<FenceStamp> within(Supplier<Optional<FenceStamp>> work) {
            return work.get();
        }

        @LeaderOnly(value = "billing", otherwise = OnUnavailable.THROW)
        int demanding() {
            return 1;
        }

        @LeaderOnly(value = "billing", otherwise = OnUnavailable.THROW)
        Object undeclared(Object result) {
            return result;
        }

        @LeaderOnly(value = "billing", otherwise = OnUnavailable.THROW)
        CompletableFuture<String> declared(CompletableFuture<String> result) {
            return result;
        }
    }

    static class Events {

        private final List<Object> seen = new CopyOnWriteArrayList<>();

        @EventListener({LeaderElected.class, LeaderRevoked.class})
        void on(Object event) {
            seen.add(event);
        }
    }

    @Configuration
    @Import(AutoProxies.class)
    static class Node {

        @Bean
        Locks locks() {
            return Locks.over(new MemoryLockBackend(store));
        }

        @Bean
        LockTemplate lockTemplate(Locks locks) {
            return LockTemplate.of(locks);
        }

        @Bean
        ElectionLifecycle billing(Locks locks, ApplicationEventPublisher events) {
            return new ElectionLifecycle("billing", Election.of(locks, "billing"), events);
        }

        @Bean
        static LeaderOnlyAdvisor leaderOnlyAdvisor(ConfigurableListableBeanFactory beans) {
            return new LeaderOnlyAdvisor(LockedAdvisor.ORDER, beans);
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Events events() {
            return new Events();
        }
    }
}
