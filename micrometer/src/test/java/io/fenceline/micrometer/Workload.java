package io.fenceline.micrometer;

import static org.awaitility.Awaitility.await;

import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockBackend;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A process that does what the meters are there for: takes locks in a SQLite file, renews, waits in vain, writes under a guard,
 * writes too late, leads, finds tokens that were lost, and forgets a token where that is observed.
 */
final class Workload implements AutoCloseable {

    static final String GROUP = "stock";

    private static final Duration LIMIT = Duration.ofSeconds(20);

    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final Path file;
    private final LockBackend backend;
    private final FencelineMetrics metrics = FencelineMetrics.bindTo(registry);
    private final MemoryFenceGuard guard = new MemoryFenceGuard(FenceRule.AT_LEAST, metrics);
    private final Locks locks;
    private final Election election;
    private final UnfencedWriteMetrics unfenced;

    Workload(Path folder) throws Exception {
        file = folder.resolve("locks.db");
        backend = Backends.open("sqlite:" + file);
        locks = Locks.builder(backend).listener(metrics).build();
        workUnderALock();
        loseALease();
        beRefused();
        findLostTokens();
        election = lead();
        unfenced = forgetTokens();
    }

    double value(String meter, String... tags) {
        return registry.get(meter)
                .tags(tags)
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    private void workUnderALock() throws InterruptedException {
        try (Lease lease = locks.acquire("invoice:42", LockOptions.defaults().withTtl(Duration.ofSeconds(3)))) {
            guard.claim("invoice:42", lease.stamp());
            guard.call("invoice:42", lease.stamp(), () -> "paid");
            locks.tryAcquire("invoice:42");
            await().atMost(LIMIT).until(() -> value("fenceline.renewal.lateness") > 0);
        }
    }

    private void loseALease() throws InterruptedException {
        LockOptions brief =
                LockOptions.defaults().withTtl(Duration.ofMillis(500)).withoutRenewal();
        try (Lease lease = locks.acquire("report", brief)) {
            lease.lost().toCompletableFuture().join();
            await().atMost(LIMIT).until(() -> value("fenceline.leases.lost", "reason", "deadline_passed") > 0);
        }
    }

    private void beRefused() {
        LockKey key = LockKey.of("invoice:42");
        guard.call("invoice:42", new FenceStamp(key, FencingToken.of(40)), () -> "by the next holder");
        ignoringRefusal(new FenceStamp(key, FencingToken.of(37)));
        ignoringRefusal(new FenceStamp(LockKey.of("invoice:43"), FencingToken.of(50)));
    }

    private void ignoringRefusal(FenceStamp stamp) {
        try {
            guard.call("invoice:42", stamp, () -> "too late");
            throw new AssertionError(stamp + " was accepted");
        } catch (RefusedWriteException expected) {
            // that is what the guard is for
        }
    }

    /** As after a restore of the store: its first term is older than what the guard has seen. */
    private void findLostTokens() {
        LockKey key = LockKey.of(Election.KEY_PREFIX + "restored");
        guard.claim("restored", new FenceStamp(key, FencingToken.of(1_000)));
        try (Election outdated = Election.of(locks, "restored")
                .candidate(Candidate.of("node 1"))
                .claims(guard, "restored")
                .join(new Idle())) {
            await().atMost(LIMIT).until(() -> value("fenceline.token.regressions") > 0);
            outdated.stepDown();
        }
    }

    private Election lead() {
        Election joined = Election.join(locks, GROUP, Candidate.of("node 1"), new Idle());
        await().atMost(LIMIT).until(() -> joined.leadership().isPresent());
        await().atMost(LIMIT).until(() -> value("fenceline.election.leading", "group", GROUP) > 0);
        return joined;
    }

    private UnfencedWriteMetrics forgetTokens() throws SQLException {
        TriggerControl triggers = backend.ability(TriggerControl.class).orElseThrow();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, status TEXT)");
            triggers.install(GuardedTable.of("invoice", "id").withMode(GuardedTable.Mode.OBSERVE));
            statement.execute("INSERT INTO invoice VALUES (42, 'open')");
        }
        UnfencedWriteMetrics bound = UnfencedWriteMetrics.bindTo(registry, triggers, Duration.ofMillis(50));
        await().atMost(LIMIT)
                .until(() -> registry.find("fenceline.guard.unfenced").gauge() != null);
        return bound;
    }

    /** A leader that has nothing to do. */
    private static final class Idle implements LeadershipListener {

        @Override
        public void onElected(Leadership leadership) {}

        @Override
        public void onRevoked(Leadership leadership, RevocationReason reason) {}
    }

    @Override
    public void close() {
        unfenced.close();
        election.close();
        locks.close();
        backend.close();
        registry.close();
    }
}
