package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Texts that are written by transactions of Spring, whose writers are told nothing of stamps. */
final class TransactionalData implements GuardedData {

    private static final int ATTEMPTS = 100;

    private final TransactionTemplate transactions;
    private final Texts texts;
    private final FenceGuard guard;

    private TransactionalData(TransactionTemplate transactions, Texts texts, FenceGuard guard) {
        this.transactions = transactions;
        this.texts = texts;
        this.guard = guard;
    }

    static TransactionalData guarded(
            AbstractPlatformTransactionManager manager,
            Texts texts,
            DataSource source,
            FenceRule rule,
            LockListener... listeners) {
        JdbcFenceGuard guard =
                JdbcFenceGuard.on(source, GuardOptions.defaults().withRule(rule).withListeners(listeners));
        TransactionFences.of(guard, source).addTo(manager);
        return new TransactionalData(new TransactionTemplate(manager), texts, guard);
    }

    static TransactionalData unguarded(AbstractPlatformTransactionManager manager, Texts texts) {
        return new TransactionalData(new TransactionTemplate(manager), texts, new NoGuard());
    }

    @Override
    public FenceGuard guard() {
        return guard;
    }

    @Override
    public void write(String resource, FenceStamp stamp, String value) {
        commit(resource, stamp, () -> texts.put(resource, value));
    }

    @Override
    public void delete(String resource, FenceStamp stamp) {
        commit(resource, stamp, () -> texts.remove(resource));
    }

    @Override
    public Optional<String> read(String resource) {
        return transactions.execute(status -> texts.find(resource));
    }

    /** What a rival did between the read and the write is tried again, as an application does. */
    @SuppressWarnings("try") // the scope is in force, and not used
    private void commit(String resource, FenceStamp stamp, Runnable work) {
        try (FenceScope scope = FenceScope.open(stamp, List.of(resource))) {
            for (int attempt = 1; ; attempt++) {
                try {
                    transactions.executeWithoutResult(status -> work.run());
                    return;
                } catch (DataAccessException | TransactionException e) {
                    assertThat(e.getCause())
                            .as("a refusal is thrown itself")
                            .isNotInstanceOf(RefusedWriteException.class);
                    if (attempt == ATTEMPTS) {
                        throw e;
                    }
                }
            }
        }
    }
}
