package io.fenceline.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks in memory, and guarded transactions on PostgreSQL. */
abstract class LockedTransactions {

    final HikariDataSource source =
            TestDatabase.pool(TestDatabase.POSTGRESQL.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
    final JdbcTemplate jdbc = new JdbcTemplate(source);
    final JdbcFenceGuard guard = JdbcFenceGuard.on(source);
    final JdbcTransactionManager manager = new JdbcTransactionManager(source);
    final TransactionTemplate transactions = new TransactionTemplate(manager);
    final TransactionFences fences = TransactionFences.of(guard, source);
    final Locks locks = Locks.over(new MemoryLockBackend());
    final LockTemplate template = LockTemplate.of(locks).withFences(fences);

    LockedTransactions() {
        fences.addTo(manager);
    }

    @AfterEach
    void close() {
        locks.close();
        source.close();
    }

    void insert(String name) {
        jdbc.update("insert into texts (name) values (?)", name);
    }

    List<String> texts() {
        return jdbc.queryForList("select name from texts", String.class);
    }

    static void call(LockTemplate template, String key, String resource, Runnable work) {
        try {
            template.<Boolean, RuntimeException>call(key, LockOptions.defaults(), List.of(resource), lease -> {
                work.run();
                return true;
            });
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
