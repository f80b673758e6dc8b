package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.jdbc.OnNewThread;
import io.fenceline.jdbc.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Two transactions under fences of their own that want the same two rows in opposite order. */
final class Crossing {

    private final JdbcFenceGuard guard;
    private final Sql count;
    private final CountDownLatch bothLocked = new CountDownLatch(2);
    private final AtomicInteger runs = new AtomicInteger();

    Crossing(JdbcFenceGuard guard, GuardPlace place) {
        this.guard = guard;
        this.count = new Sql("UPDATE " + place.in("totals") + " SET total = total + 1 WHERE id = ?1");
    }

    int runs() {
        return runs.get();
    }

    /** Returns what failed. */
    List<Throwable> run(boolean keepErrors) throws Exception {
        List<CompletableFuture<Void>> both = List.of(crossing("a", 1, 2, keepErrors), crossing("b", 2, 1, keepErrors));
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<Void> one : both) {
            one.handle((done, failure) -> failure == null || failures.add(failure.getCause()))
                    .get(30, TimeUnit.SECONDS);
        }
        return failures;
    }

    private CompletableFuture<Void> crossing(String resource, int first, int second, boolean keepErrors) {
        return OnNewThread.run(() -> {
            try {
                guard.call(resource, TransactionPlace.stamp(1), connection -> {
                    runs.incrementAndGet();
                    count.run(connection, first);
                    bothLocked.countDown();
                    assertThat(TransactionPlace.await(bothLocked)).isTrue();
                    try {
                        return count.run(connection, second);
                    } catch (SQLException e) {
                        if (!keepErrors) {
                            throw e;
                        }
                        return count.run(connection, first);
                    }
                });
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
