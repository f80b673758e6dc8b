package io.fenceline.jdbc.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.h2.H2;
import io.fenceline.jdbc.sql.SqlWork;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TablesOnDemandTest {

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    @Tag("L5")
    void whoeverMeetsAnotherThatMakesTheTablesWaitsNoLongerThanItsTimeout() throws InterruptedException {
        TablesOnDemand tables = new TablesOnDemand(new SilentSchema(), () -> {});
        Thread first = new Thread(() -> tables.make(Duration.ofMinutes(1)));
        first.start();
        begun.await();

        BackendException failure =
                catchThrowableOfType(BackendException.class, () -> tables.make(Duration.ofMillis(50)));

        assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        answered.countDown();
        first.join();
        tables.make(Duration.ZERO);
    }

    @Test
    @Tag("L5")
    void whoeverMakesTheTablesWaitsNoLongerThanItsTimeout() {
        TablesOnDemand tables = new TablesOnDemand(new SilentSchema(), () -> {});

        BackendException failure =
                catchThrowableOfType(BackendException.class, () -> tables.make(Duration.ofMillis(50)));

        assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        answered.countDown();
        tables.make(Duration.ofMinutes(1));
        tables.make(Duration.ZERO);
    }

    @Test
    void anAttemptThatFailedIsFollowedByAnother() {
        AtomicInteger attempts = new AtomicInteger();
        TablesOnDemand tables = new TablesOnDemand(new SilentSchema(), () -> {
            if (attempts.incrementAndGet() == 1) {
                throw new BackendException(ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "away", null);
            }
        });
        answered.countDown();

        assertThatThrownBy(() -> tables.make(Duration.ofMinutes(1))).hasMessageContaining("away");
        tables.make(Duration.ofMinutes(1));
        assertThat(attempts).hasValue(2);
    }

    @Test
    @Tag("L5")
    void theTimeForTheTablesIsPartOfTheTimeout() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:");
        try (Connection warm = source.getConnection()) {
            assertThat(warm.isValid(1)).isTrue();
        }
        DataSource slow = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    pause();
                    return source.getConnection();
                });
        Database database = new Database(slow, new H2(), Duration.ofSeconds(5))
                .making(new TablesOnDemand(new SilentSchema(), TablesOnDemandTest::pause));
        answered.countDown();

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> database.change(Duration.ofMillis(1_700), connection -> "done late"));

        assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
    }

    private static void pause() {
        try {
            Thread.sleep(1_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("G10")
    void aReadThatFailsWhileAnotherMakesTheTablesFindsWhatIsThereThen() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:");
        SilentSchema schema = new SilentSchema();
        Database database =
                new Database(source, new H2(), Duration.ofSeconds(5)).making(new TablesOnDemand(schema, () -> {}));
        SqlWork<String> read = connection -> {
            if (schema.complete) {
                return "something";
            }
            schema.complete = true;
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT * FROM not_yet");
            }
            return "not reached";
        };

        assertThat(database.read(read, "nothing")).isEqualTo("something");
    }

    /** Takes as long as the test says. */
    private final class SilentSchema implements StoreSchema {

        boolean complete;

        @Override
        public boolean isComplete() {
            return complete;
        }

        @Override
        public void installSchema() {
            begun.countDown();
            try {
                answered.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String schemaScript() {
            return "";
        }

        @Override
        public List<String> schemaProblems() {
            return List.of();
        }
    }
}
