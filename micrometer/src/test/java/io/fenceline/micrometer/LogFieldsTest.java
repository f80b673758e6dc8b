package io.fenceline.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.KeyView;
import io.fenceline.telemetry.LogFields;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** The MDC says under which lock a thread works, and nothing afterwards. */
class LogFieldsTest {

    private final LockBackend backend = new MemoryLockBackend();

    @AfterEach
    void end() {
        assertThat(MDC.get(LogFields.KEY)).isNull();
        assertThat(MDC.get(LogFields.TOKEN)).isNull();
        backend.close();
    }

    @Test
    void areSetInTheBodyAndPutBackAfterAnInnerOne() throws Exception {
        try (Locks locks =
                Locks.builder(backend).listener(Mdc.fields(KeyView.plain())).build()) {
            locks.call("outer", outer -> {
                assertThat(MDC.get("lock.key")).isEqualTo("outer");
                assertThat(MDC.get("lock.token")).isEqualTo("000000000000001");
                locks.call("inner", inner -> {
                    assertThat(MDC.get("lock.key")).isEqualTo("inner");
                    return 0;
                });
                assertThat(MDC.get("lock.key")).isEqualTo("outer");
                return 0;
            });
        }
    }

    @Test
    void hideTheKeyUnlessItIsAskedFor() throws Exception {
        try (Locks locks = Locks.builder(backend).listener(Mdc.fields()).build()) {
            locks.call("mrs. smith", lease -> {
                assertThat(MDC.get("lock.key")).matches("[0-9a-f]{24}");
                return 0;
            });
        }
    }

    @Test
    void canBeSetForALeaseThatIsNoBody() {
        LogFields fields = Mdc.fields(KeyView.plain());
        try (Locks locks = Locks.over(backend);
                var lease = locks.tryAcquire("report").orElseThrow();
                LogFields.Scope scope = fields.open(lease.stamp())) {
            assertThat(scope).isNotNull();
            assertThat(MDC.get("lock.key")).isEqualTo("report");
        }
    }

    @Test
    void areSetWhileLeading() {
        BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();
        try (Locks locks = Locks.builder(backend)
                        .listener(Mdc.fields(KeyView.plain()))
                        .build();
                Election election = Election.join(locks, "stock", Candidate.of("node 1"), new LeadershipListener() {
                    @Override
                    public void onElected(Leadership leadership) {
                        seen.add(MDC.getCopyOfContextMap());
                    }

                    @Override
                    public void onRevoked(Leadership leadership, RevocationReason reason) {}
                })) {
            await().until(() -> !seen.isEmpty());
            assertThat(election.key().value()).isEqualTo("election:stock");
            assertThat(seen.remove())
                    .containsEntry("lock.key", "election:stock")
                    .containsEntry("lock.token", "000000000000001");
        }
    }
}
