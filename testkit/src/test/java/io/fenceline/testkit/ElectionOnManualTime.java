package io.fenceline.testkit;

import static org.awaitility.Awaitility.await;

import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import io.fenceline.telemetry.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** Elections on a store in memory, faults and manual time. */
abstract class ElectionOnManualTime {

    static final LockKey KEY = LockKey.of("election:billing");

    final ManualTime time = new ManualTime();
    final MemoryStore store = new MemoryStore(TokenMode.COUNTER, time, time);
    final FaultScript faults = new FaultScript();
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    final RecordedTerms terms = new RecordedTerms();
    final Locks locks = Locks.builder(FaultyLockBackend.over(new MemoryLockBackend(store), faults, time.source()))
            .time(time.source())
            .listener(events::add)
            .build();

    @AfterEach
    void closeLocks() {
        locks.close();
    }

    /** Passes the time for which a candidate stands back, whenever it begins to. */
    void advanceUntilThereIsNews() {
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            boolean news = terms.hasNews();
            if (!news) {
                time.advance(Duration.ofSeconds(5));
            }
            return news;
        });
    }
}
