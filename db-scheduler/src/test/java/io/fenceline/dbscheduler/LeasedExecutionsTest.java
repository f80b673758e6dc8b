package io.fenceline.dbscheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two schedulers on PostgreSQL, the second of which takes an execution of the first one for dead. */
class LeasedExecutionsTest {

    private static final String TABLE = """
            CREATE TABLE scheduled_tasks (
              task_name text NOT NULL,
              task_instance text NOT NULL,
              task_data bytea,
              execution_time timestamp with time zone NOT NULL,
              picked boolean NOT NULL,
              picked_by text,
              last_success timestamp with time zone,
              last_failure timestamp with time zone,
              consecutive_failures int,
              last_heartbeat timestamp with time zone,
              version bigint NOT NULL,
              priority smallint,
              PRIMARY KEY (task_name, task_instance)
            )""";
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final LockOptions OPTIONS =
            LockOptions.defaults().withTtl(Duration.ofSeconds(3)).withMaxWait(Duration.ofMillis(100));

    private final PostgresServer server = PostgresServer.start(Map.of());
    private final HikariDataSource database = new HikariDataSource();
    private final LockBackend backend = Backends.open(server.uri());
    private final Locks locks = Locks.over(backend);
    private final List<Lease> leases = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final CountDownLatch resume = new CountDownLatch(1);
    private final MemoryFenceGuard guard = new MemoryFenceGuard();
    private final OneTimeTask<Void> task = Tasks.oneTime("charge")
            .onFailure((complete, operations) -> {
                failures.add(complete.getCause().orElseThrow());
                operations.reschedule(complete, Instant.now());
            })
            .execute((instance, context) -> charge(context));
    private Scheduler first;
    private Scheduler second;

    /** The first execution stops before it writes. */
    private void charge(ExecutionContext context) {
        Lease lease = LeasedExecutions.lease(context);
        leases.add(lease);
        if (leases.size() == 1) {
            awaitResume();
        }
        guard.write("account", lease.stamp(), () -> {});
    }

    private void awaitResume() {
        try {
            resume.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void start() {
        database.setJdbcUrl(server.jdbcUrl("postgres"));
        database.setUsername("postgres");
        server.execute("postgres", TABLE);
        first = scheduler();
        second = scheduler();
        first.start();
        first.schedule(task.instance("42"), Instant.now());
        await().atMost(LIMIT).until(() -> leases.size() == 1);
    }

    @AfterEach
    void stop() {
        resume.countDown();
        first.stop();
        second.stop();
        locks.close();
        backend.close();
        database.close();
        server.close();
    }

    private Scheduler scheduler() {
        return Scheduler.create(database, task)
                .pollingInterval(Duration.ofMillis(100))
                .addExecutionInterceptor(LeasedExecutions.over(locks, OPTIONS))
                .build();
    }

    /** As the detection of dead executions does. */
    private void takeForDead() {
        server.execute(
                "postgres",
                "UPDATE scheduled_tasks SET picked = false, picked_by = NULL, execution_time = now(), version = version + 1");
        second.start();
    }

    @Test
    void anExecutionThatIsTakenForDeadIsNotJoinedByAnother() {
        assertThat(leases.get(0).key()).isEqualTo(LockKey.of("charge/42"));
        takeForDead();

        await().atMost(LIMIT).until(() -> !failures.isEmpty());
        assertThat(failures.get(0)).isInstanceOf(LockTimeoutException.class);
        assertThat(leases).hasSize(1);

        resume.countDown();
        await().atMost(LIMIT).until(() -> leases.size() == 2);
        assertThat(leases.get(1).token()).isGreaterThan(leases.get(0).token());
    }

    @Test
    void anExecutionThatLostItsLeaseIsRefused() {
        backend.ability(LockCatalog.class)
                .orElseThrow()
                .forceRelease(LockKey.of("charge/42"), Holder.of("an operator"));
        takeForDead();
        await().atMost(LIMIT).until(() -> leases.size() == 2);
        await().atMost(LIMIT).until(() -> guard.highest("account").isPresent());

        resume.countDown();

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(failures)
                        .anySatisfy(failure -> assertThat(failure).isInstanceOf(StaleTokenException.class)));
    }

    @Test
    void aContextOfAnotherSchedulerHasNoLease() {
        assertThatIllegalStateException()
                .isThrownBy(() -> LeasedExecutions.lease(new ExecutionContext(null, null, null, null)))
                .withMessageContaining("LeasedExecutions");
    }
}
