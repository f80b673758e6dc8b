package io.fenceline.integration;

import static org.awaitility.Awaitility.await;

import io.fenceline.Backends;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.servers.PostgresServer;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three nodes of Spring Integration's own leader initiator, whose store is stopped and started again. No two lead at a time, and a leader
 * changes only if its lease was lost. {@code -Dfenceline.heartbeats=6000} waits ten minutes for a change.
 */
@Execution(ExecutionMode.CONCURRENT)
class LeaderInitiatorTest {

    private static final int HEARTBEATS = Integer.getInteger("fenceline.heartbeats", 30);

    /** The margin is far above the heart beat, so that a leadership ends before its lease does in the store. The long run has the default ttl. */
    private static final LockOptions OPTIONS = HEARTBEATS > 1000
            ? LockOptions.defaults()
            : LockOptions.defaults().withTtl(Duration.ofSeconds(6)).withSafetyMargin(Duration.ofSeconds(3));

    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void leadsOnPostgreSql() throws Exception {
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            check(server.uri(), server::stop, server::startAgain);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void leadsOnRedis() throws Exception {
        try (RedisServer server = RedisServer.start(RedisSettings.durable())) {
            check(server.uri(), server::stop, server::startAgain);
        }
    }

    private static void check(String uri, Runnable stopStore, Runnable startStore) throws Exception {
        LeaderLog log = new LeaderLog();
        List<LeaderNode> nodes = new ArrayList<>();
        List<AutoCloseable> opened = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            LockBackend backend = Backends.open(uri);
            Locks locks = Locks.builder(backend).listener(log::heard).build();
            opened.addAll(List.of(locks, backend));
            nodes.add(new LeaderNode(FencelineLockRegistry.over(locks, OPTIONS), log));
        }
        nodes.forEach(LeaderNode::start);
        LeaderNode first = leader(log);
        int from = first.beats();
        await().atMost(LIMIT.plusMillis(2L * HEARTBEATS * LeaderNode.HEARTBEAT_MILLIS))
                .until(() -> first.beats() >= from + HEARTBEATS);
        log.assertNoChangeWithoutLoss();

        stopStore.run();
        await().atMost(LIMIT).until(() -> log.leader().isEmpty());
        startStore.run();
        LeaderNode second = leader(log);
        log.assertNoChangeWithoutLoss();

        second.stop();
        await().atMost(LIMIT)
                .until(() -> log.leader().filter(node -> node != second).isPresent());
        nodes.forEach(LeaderNode::stop);
        await().atMost(LIMIT).untilAsserted(log::assertNoTwoLedAtATime);
        for (AutoCloseable locks : opened) {
            locks.close();
        }
    }

    private static LeaderNode leader(LeaderLog log) {
        return await().atMost(LIMIT).until(log::leader, Optional::isPresent).orElseThrow();
    }
}
