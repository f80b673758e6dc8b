package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages are their headers here; those of brokers are tested with the brokers. */
class FencedListenerTest {

    private final HikariDataSource source =
            TestDatabase.pool(TestDatabase.H2.newGuardedUrl(), "TRANSACTION_READ_COMMITTED");
    private final JdbcFenceGuard guard = JdbcFenceGuard.on(source);
    private final JdbcTemplate jdbc = new JdbcTemplate(source);
    private final TransactionTemplate transaction = new TransactionTemplate(manager());
    private final List<String> refused = new ArrayList<>();
    private final FencedListener<Map<String, String>> listener = FencedListener.by(
            guard,
            FenceHeaders::read,
            message -> "invoice/42",
            (message, why) -> refused.add(why.getClass().getSimpleName()));

    @AfterEach
    void close() {
        source.close();
    }

    @Test
    @Tag("R1")
    void aMessageThatIsOvertakenWritesNothingInAnyOfItsTransactions() throws Throwable {
        listener.handle(message(33), () -> {
            write("first");
            guard.claim("invoice/42", stamp("invoice:42", 34));
            assertThatThrownBy(() -> write("second")).isInstanceOf(StaleTokenException.class);
            write("third");
            return null;
        });

        assertThat(refused).containsExactly("StaleTokenException");
        assertThat(texts()).containsExactly("first");
    }

    @Test
    @Tag("R1")
    @Tag("R7")
    @Tag("R8")
    void whatIsRefusedAtOnceDoesNotReachTheListener() throws Throwable {
        guard.claim("invoice/42", stamp("invoice:42", 34));

        listener.handle(message(33), FencedListenerTest::unexpected);
        listener.handle(Map.of(), FencedListenerTest::unexpected);
        listener.handle(Map.of(FenceHeaders.TOKEN, "34"), FencedListenerTest::unexpected);
        listener.handle(FenceHeaders.of(stamp("another", 99)), FencedListenerTest::unexpected);

        assertThat(refused)
                .containsExactly(
                        "StaleTokenException",
                        "MissingTokenException",
                        "MalformedStampException",
                        "ForeignTokenException");
    }

    /** It could never be written, however often it is delivered. */
    @Test
    void aMessageWhoseResourceHasNoValidNameIsRefused() throws Throwable {
        FencedListener<Map<String, String>> unnamed = FencedListener.by(
                guard, FenceHeaders::read, message -> "a\0b", (message, why) -> refused.add(why.getMessage()));

        unnamed.handle(message(34), FencedListenerTest::unexpected);

        assertThat(refused).singleElement().asString().contains("resource");
    }

    /** It could not be told in any later attempt either. */
    @Test
    void aMessageWhoseResourceCannotBeReadIsRefused() throws Throwable {
        for (RuntimeException failure : List.of(new ClassCastException("int"), new NullPointerException("key"))) {
            FencedListener<Map<String, String>> unreadable = FencedListener.by(
                    guard,
                    FenceHeaders::read,
                    message -> {
                        throw failure;
                    },
                    (message, why) -> refused.add(why.getClass().getSimpleName()));
            unreadable.handle(message(34), FencedListenerTest::unexpected);
        }

        assertThat(refused).containsExactly("ClassCastException", "NullPointerException");
    }

    @Test
    void theRefusalOfItsStampIsFoundInWhatFrameworksWrapAroundIt() throws Throwable {
        FenceStamp stamp = stamp("invoice:42", 33);
        for (RuntimeException refusal : List.of(
                new StaleTokenException("invoice/42", stamp, FencingToken.of(34)),
                new ForeignTokenException("invoice/42", stamp, LockKey.of("another")))) {
            listener.handle(message(33), () -> {
                throw new IllegalStateException(new IllegalArgumentException(refusal));
            });
        }

        assertThat(refused).containsExactly("StaleTokenException", "ForeignTokenException");
    }

    @Test
    void inATransactionOfTheBrokersWhatTheListenerSentIsUndoneBeforeTheOutcome() throws Throwable {
        StaleTokenException refusal = new StaleTokenException("order/7", stamp("invoice:42", 33), FencingToken.of(34));

        listener.handleInTransaction(
                message(33),
                () -> {
                    throw refusal;
                },
                why -> refused.add("rolled back for " + why.getClass().getSimpleName()));
        assertThat(refused).containsExactly("rolled back for StaleTokenException", "StaleTokenException");

        assertThatThrownBy(() -> listener.handleInTransaction(
                        message(33),
                        () -> {
                            throw refusal;
                        },
                        why -> {
                            throw new IOException("the broker is away");
                        }))
                .isInstanceOf(IOException.class);
        assertThat(refused).as("without another outcome").hasSize(2);
    }

    @Test
    void whatDoesNotReachTheListenerOrSucceedsUndoesNothing() throws Throwable {
        FencedListener.Rollback unexpected = why -> {
            throw new AssertionError(why);
        };

        listener.handleInTransaction(Map.of(), FencedListenerTest::unexpected, unexpected);
        listener.handleInTransaction(message(33), () -> null, unexpected);

        assertThat(refused).containsExactly("MissingTokenException");
    }

    /** The listener worked under a lease of its own, and lost it: the message is as good as before. */
    @Test
    void theRefusalOfAnotherStampIsAFailureOfTheListener() {
        for (RuntimeException other : List.of(
                new StaleTokenException("ledger", stamp("ledger", 1), FencingToken.of(2)),
                new ForeignTokenException("ledger", stamp("ledger", 1), LockKey.of("another")))) {
            assertThatThrownBy(() -> listener.handle(message(33), () -> {
                        throw new IllegalStateException(other);
                    }))
                    .hasCause(other);
        }
        assertThat(refused).isEmpty();
    }

    @Test
    void aStampIsInForceForItsMessageOnly() throws Throwable {
        listener.handle(message(33), () -> {
            assertThat(CurrentLease.stamp()).isEqualTo(stamp("invoice:42", 33));
            return null;
        });

        assertThat(FenceScope.current()).isEmpty();
        assertThat(refused).isEmpty();
    }

    @Test
    void aTransactionThatWasBegunBeforeIsRefused() {
        refuses(transaction);
    }

    @Test
    void aTransactionWithoutSynchronizationsThatWasBegunBeforeIsRefused() {
        JdbcTransactionManager silent = manager();
        silent.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);

        refuses(new TransactionTemplate(silent));
    }

    /** It would commit after the listener, under no stamp. */
    @Test
    void aJtaTransactionThatWasBegunBeforeIsRefused(@TempDir Path folder) {
        arjPropertyManager.getObjectStoreEnvironmentBean().setObjectStoreDir(folder.toString());
        JtaTransactionManager jta = new JtaTransactionManager(
                com.arjuna.ats.jta.UserTransaction.userTransaction(),
                com.arjuna.ats.jta.TransactionManager.transactionManager());
        jta.afterPropertiesSet();

        refuses(new TransactionTemplate(jta));
    }

    private void refuses(TransactionTemplate begunBefore) {
        assertThatThrownBy(() -> begunBefore.executeWithoutResult(status -> {
                    try {
                        listener.handle(message(33), FencedListenerTest::unexpected);
                    } catch (Throwable e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("begun before the listener");
    }

    private JdbcTransactionManager manager() {
        JdbcTransactionManager manager = new JdbcTransactionManager(source);
        TransactionFences.of(guard, source).addTo(manager);
        return manager;
    }

    private void write(String text) {
        transaction.executeWithoutResult(status -> jdbc.update("INSERT INTO texts VALUES (?, ?)", text, text));
    }

    private List<String> texts() {
        return jdbc.queryForList("SELECT text FROM texts ORDER BY name", String.class);
    }

    private static Object unexpected() {
        throw new AssertionError("the listener was called");
    }

    private static Map<String, String> message(long token) {
        return FenceHeaders.of(stamp("invoice:42", token));
    }

    private static FenceStamp stamp(String lock, long token) {
        return new FenceStamp(LockKey.of(lock), FencingToken.of(token));
    }
}
