package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Contended;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The wait queue against a list that does the same, and what it costs when it is long. */
@Tag("L7")
class RedisQueueOrderTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final String LOCK = "fenceline:{invoice:42}";

    private final RedisServer server = RedisServer.start(RedisSettings.inMemory());
    private final RedisLockBackend backend =
            RedisLockBackend.open(server.uri(), RedisOptions.defaults().withWaiterTimeout(Duration.ofMinutes(10)));

    @BeforeEach
    void take() {
        backend.release(KEY, LockId.random()); // so that the server has the script
        backend.acquire(request(LockId.random(), Duration.ZERO));
    }

    @AfterEach
    void close() {
        backend.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void servesWhoStaysInTheOrderInWhichTheyCame(long seed) {
        Random random = new Random(seed);
        List<LockId> line = new ArrayList<>();
        List<LockId> gone = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            int act = random.nextInt(10);
            if (act < 4 || line.isEmpty()) {
                enter(line, gone.isEmpty() || act < 3 ? LockId.random() : gone.remove(0));
            } else if (act < 6) {
                queue(line.get(random.nextInt(line.size()))); // stays where it is
            } else if (act < 8) {
                LockId leaves = line.remove(random.nextInt(line.size()));
                assertThat(backend.release(KEY, leaves)).isFalse();
                gone.add(leaves);
            } else {
                assertThat(backend.release(KEY, holder())).isTrue();
                assertThat(holder()).isEqualTo(line.remove(0));
            }
            assertThat(backend.release(KEY, LockId.random())).isFalse();
        }
        for (LockId next : line) {
            assertThat(backend.release(KEY, holder())).isTrue();
            assertThat(holder()).isEqualTo(next);
        }
        assertThat(backend.release(KEY, holder())).isTrue();
        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat((List<?>) server.call("HKEYS", LOCK)).asString().isEqualTo("[until, last, grant]");
    }

    @Test
    void costsTheSameCommandsToServeAndToLeaveHoweverManyWait() {
        List<LockId> line = new ArrayList<>();
        enter(line, LockId.random());
        enter(line, LockId.random());
        enter(line, LockId.random());
        Map<String, Long> ofFew = commandsOfLeavingAndServing(line);
        while (line.size() < 1_000) {
            enter(line, LockId.random());
        }

        assertThat(commandsOfLeavingAndServing(line)).isEqualTo(ofFew);
        assertThat(ofFew).doesNotContainKeys("hgetall", "hkeys", "hvals", "hscan");
    }

    private Map<String, Long> commandsOfLeavingAndServing(List<LockId> line) {
        LockId holder = holder();
        server.call("CONFIG", "RESETSTAT");
        backend.release(KEY, line.remove(1));
        backend.release(KEY, holder);
        Map<String, Long> calls = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)")
                .matcher(String.valueOf(server.call("INFO", "commandstats")))
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> Long.valueOf(found.group(2))));
        assertThat(holder()).isEqualTo(line.remove(0));
        return new TreeMap<>(calls);
    }

    private void enter(List<LockId> line, LockId lockId) {
        queue(lockId);
        line.add(lockId);
    }

    private void queue(LockId lockId) {
        assertThat(((Contended) backend.acquire(request(lockId, Duration.ofMinutes(10)))).queued())
                .isTrue();
    }

    private LockId holder() {
        return backend.lookup(KEY).orElseThrow().raw().lockId();
    }

    private static AcquireRequest request(LockId lockId, Duration maxWait) {
        return new AcquireRequest(KEY, lockId, Duration.ofHours(1), Holder.of("node"), 1, maxWait);
    }
}
