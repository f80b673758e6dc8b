package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The managers to which fences add themselves as a bean. */
class GuardedManagersTest {

    /** Singletons may run locked calls before all of them are there, and nobody tells a lazy one when they are. */
    @Test
    void areKnownToTheFirstLockedCallOfALazyBean() throws Exception {
        try (HikariDataSource source =
                        TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
                Locks locks = Locks.over(new MemoryLockBackend());
                GenericApplicationContext context = new GenericApplicationContext()) {
            JdbcTransactionManager manager = new JdbcTransactionManager(source);
            context.registerBean(JdbcTransactionManager.class, () -> manager);
            context.registerBean(
                    TransactionFences.class,
                    () -> TransactionFences.of(JdbcFenceGuard.on(source), source),
                    definition -> definition.setLazyInit(true));
            context.refresh();
            TransactionFences fences = context.getBean(TransactionFences.class);
            assertThat(manager.getTransactionExecutionListeners()).isEmpty();

            LockTemplate.of(locks).withFences(fences).run("job", lease -> {});

            assertThat(manager.getTransactionExecutionListeners()).containsExactly(fences);
        }
    }

    @Test
    void areThoseOfParentContextsToo() {
        try (HikariDataSource source = TestDatabase.pool(TestDatabase.H2.newUrl(), "TRANSACTION_READ_COMMITTED");
                GenericApplicationContext parent = new GenericApplicationContext();
                GenericApplicationContext child = new GenericApplicationContext(parent)) {
            JdbcTransactionManager manager = new JdbcTransactionManager(source);
            TransactionFences fences = TransactionFences.of(JdbcFenceGuard.on(source), source);
            parent.registerBean(JdbcTransactionManager.class, () -> manager);
            parent.refresh();
            child.registerBean(TransactionFences.class, () -> fences);
            child.refresh();

            assertThat(manager.getTransactionExecutionListeners()).containsExactly(fences);
        }
    }
}
