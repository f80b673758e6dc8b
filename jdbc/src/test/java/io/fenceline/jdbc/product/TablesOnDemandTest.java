package io.fenceline.jdbc.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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

    /** Takes as long as the test says. */
    private final class SilentSchema implements StoreSchema {

        @Override
        public boolean isComplete() {
            return false;
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
