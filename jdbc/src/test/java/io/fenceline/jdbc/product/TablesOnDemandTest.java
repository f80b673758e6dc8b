package io.fenceline.jdbc.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.h2.H2;
import io.fenceline.jdbc.sql.SqlWork;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
