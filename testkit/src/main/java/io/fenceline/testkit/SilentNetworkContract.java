package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.LockId;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a backend promises when nobody answers and nobody says so. */
abstract class SilentNetworkContract extends NetworkVocabulary {

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("silences")
    void isWaitedForNoLongerThanTheBackendsOwnLimit(Consumer<FaultProxy> silence) throws InterruptedException {
        Map<String, LockBackend> handles = new LinkedHashMap<>();
        for (Named<Consumer<LockBackend>> operation : operations()) {
            LockBackend handle = fixture().open();
            warm(handle);
            handles.put(operation.getName(), handle);
        }
        silence.accept(proxy());

        Map<String, FutureTask<String>> calls = new LinkedHashMap<>();
        for (Named<Consumer<LockBackend>> operation : operations()) {
            LockBackend handle = handles.get(operation.getName());
            calls.put(operation.getName(), start(() -> operation.getPayload().accept(handle)));
        }

        for (Map.Entry<String, FutureTask<String>> call : calls.entrySet()) {
            assertOutage(failureInTime(call.getKey(), call.getValue()));
        }
        proxy().heal();
        for (LockBackend handle : handles.values()) {
            patiently(() -> handle.isLocked(OTHER_KEY));
        }
    }

    @Test
    @Tag("G10")
    void neverMakesTheBackendSayThatNothingHappenedWhenItDid() throws InterruptedException {
        warm(backend);
        proxy().toClient().stall();
        LockId lockId = LockId.random();

        BackendException failure =
                failureInTime("acquire", start(() -> backend.acquire(request(KEY, lockId, LONG_TTL))));

        assertOutage(failure);
        proxy().heal();
        if (patiently(() -> backend.lookup(lockId)).isPresent()) {
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        }
        patiently(() -> backend.release(KEY, lockId));
        assertFree(KEY);
    }

    @Test
    void leavesTheBackendInOrderWhenItEnds() throws InterruptedException {
        warm(backend);
        proxy().stall();
        failureInTime("isLocked", start(() -> backend.isLocked(KEY)));
        failureInTime("isLocked again", start(() -> backend.isLocked(KEY)));

        proxy().heal();

        patiently(() -> backend.isLocked(KEY));
        patiently(() -> backend.isLocked(KEY));
        assertWorks();
    }

    static Stream<Named<Consumer<FaultProxy>>> silences() {
        return Stream.of(
                Named.of("stalled", FaultProxy::stall),
                Named.of("replies stalled", proxy -> proxy.toClient().stall()),
                Named.of("black hole", proxy -> {
                    proxy.blackHole();
                    proxy.cut();
                }));
    }
}
