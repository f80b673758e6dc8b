package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.jdbc.product.ListenConnectionSource;
import io.fenceline.jdbc.product.LockTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What waiters have of signals when the machine gives no thread to listen. */
class SignalsWithoutThreadTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    @Test
    void aWaiterPollsAndTheNextOneTriesAgain() throws Exception {
        CountDownLatch connects = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        PostgresSignals signals = new PostgresSignals(new LockTable(LockTable.DEFAULT_NAME), line(connects), work -> {
            boolean first = asked.incrementAndGet() == 1;
            Thread thread = new Thread(work) {
                @Override
                public void start() {
                    if (first) {
                        throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
                    }
                    super.start();
                }
            };
            thread.setDaemon(true);
            return thread;
        });
        try {
            signals.subscribe(KEY, LockId.random(), signal -> {}).close();
            assertThat(asked).hasValue(1);

            signals.subscribe(KEY, LockId.random(), signal -> {}).close();

            assertThat(connects.await(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            signals.close();
        }
    }

    private static ListenConnectionSource line(CountDownLatch connects) {
        return new ListenConnectionSource() {
            @Override
            public Connection open() throws SQLException {
                connects.countDown();
                throw new SQLException("no server (thrown by the test)");
            }

            @Override
            public Duration stretch() {
                return Duration.ofSeconds(1);
            }

            @Override
            public void wake() {}

            @Override
            public void reading(boolean waits) {}
        };
    }
}
