package io.fenceline.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of Spring's on a database with fences. */
abstract class FencedTransactions {

    static final String RESOURCE = "invoice:42";
    static final FenceStamp OLD = stamp(33);
    static final FenceStamp NEW = stamp(34);

    HikariDataSource source;
    JdbcTemplate jdbc;
    JdbcFenceGuard guard;
    JdbcTransactionManager manager;
    TransactionFences fences;

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        open(TestDatabase.POSTGRESQL, "TRANSACTION_READ_COMMITTED", FenceRule.AT_LEAST);
    }

    void open(TestDatabase database, String isolation, FenceRule rule) {
        close();
        source = TestDatabase.pool(database.newGuardedUrl(), isolation);
        jdbc = new JdbcTemplate(source);
        guard = JdbcFenceGuard.on(source, GuardOptions.defaults().withRule(rule));
        manager = new JdbcTransactionManager(source);
        fences = TransactionFences.of(guard, source);
        fences.addTo(manager);
    }

    @AfterEach
    void close() {
        if (source != null) {
            source.close();
        }
    }

    void inScope(FenceStamp stamp, Consumer<TransactionStatus> work) {
        inScope(stamp, List.of(RESOURCE), work);
    }

    void inScope(FenceStamp stamp, List<String> resources, Consumer<TransactionStatus> work) {
        inScope(new TransactionTemplate(manager), stamp, resources, work);
    }

    @SuppressWarnings("try") // the scope is in force, and not used
    static void inScope(
            TransactionTemplate transactions,
            FenceStamp stamp,
            List<String> resources,
            Consumer<TransactionStatus> work) {
        try (FenceScope scope = FenceScope.open(stamp, resources)) {
            transactions.executeWithoutResult(work);
        }
    }

    TransactionTemplate readOnly() {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setReadOnly(true);
        return template;
    }

    void insert(String name) {
        jdbc.update("insert into texts (name) values (?)", name);
    }

    List<String> texts() {
        return jdbc.queryForList("select name from texts", String.class);
    }

    static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }
}
