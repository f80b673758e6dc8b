package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract for a network that delivers nothing and reports nothing. */
abstract class SilentNetworkContract extends NetworkVocabulary {

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("silences")
    void isWaitedForNoLongerThanTheBackendsOwnLimit(Consumer<FaultProxy> silence) throws InterruptedException {
        List<LockBackend> handles = warmHandles();
        silence.accept(proxy());

        assertFailInTime(handles, Consumer::accept);

        assertWorkWhenHealed(handles);
    }

    @Test
    @Tag("G10")
    void isWaitedForNoLongerThanTheBackendsOwnLimitByNewConnections() throws InterruptedException {
        List<LockBackend> handles = warmHandles();
        proxy().blackHole();
        proxy().cut();

        assertFailInTime(handles, (operation, handle) -> {
            try {
                operation.accept(handle);
            } catch (BackendException cut) {
                operation.accept(handle);
            }
        });

        assertWorkWhenHealed(handles);
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
        if (retrying(() -> backend.lookup(lockId)).isPresent()) {
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        }
        retrying(() -> backend.release(KEY, lockId));
        assertFree(KEY);
    }

    /** Two calls begin together: the one that carries a timeout has to be over while the other is still waited for. */
    @Test
    @Tag("G10")
    void isWaitedForNoLongerThanTheAttemptAllows() throws InterruptedException {
        LockBackend patient = fixture().open();
        warm(backend);
        warm(patient);
        AcquireRequest request = request(KEY, LockId.random(), LONG_TTL);
        AcquireRequest hurried = new AcquireRequest(
                KEY,
                LockId.random(),
                LONG_TTL,
                request.holder(),
                1,
                Duration.ZERO,
                fixture().longestAnswer().dividedBy(5));
        proxy().toClient().stall();

        FutureTask<String> longCall = start(() -> patient.acquire(request));
        BackendException failure = failureInTime("acquire", start(() -> backend.acquire(hurried)));

        assertThat(longCall).as("the call without a timeout of its own").isNotDone();
        assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
        failureInTime("acquire without a timeout", longCall);
        proxy().heal();
        retrying(() -> backend.release(KEY, hurried.lockId()));
        retrying(() -> backend.release(KEY, request.lockId()));
        assertFree(KEY);
    }

    @Test
    void leavesTheBackendInOrderWhenItEnds() throws InterruptedException {
        warm(backend);
        proxy().stall();
        failureInTime("isLocked", start(() -> backend.isLocked(KEY)));
        failureInTime("isLocked again", start(() -> backend.isLocked(KEY)));

        proxy().heal();

        retrying(() -> backend.isLocked(KEY));
        retrying(() -> backend.isLocked(KEY));
        assertWorks();
    }

    static Stream<Named<Consumer<FaultProxy>>> silences() {
        return Stream.of(
                Named.of("stalled", FaultProxy::stall),
                Named.of("replies stalled", proxy -> proxy.toClient().stall()));
    }

    /** Returns a backend for each operation. */
    private List<LockBackend> warmHandles() {
        return operations().stream()
                .map(operation -> {
                    LockBackend handle = fixture().open();
                    warm(handle);
                    return handle;
                })
                .toList();
    }

    /** Calls all operations at once, each on a backend of its own, since each may use up its limit. */
    private void assertFailInTime(List<LockBackend> handles, BiConsumer<Consumer<LockBackend>, LockBackend> calling)
            throws InterruptedException {
        List<FutureTask<String>> calls = new ArrayList<>();
        for (int i = 0; i < handles.size(); i++) {
            Consumer<LockBackend> operation = operations().get(i).getPayload();
            LockBackend handle = handles.get(i);
            calls.add(start(() -> calling.accept(operation, handle)));
        }
        for (int i = 0; i < calls.size(); i++) {
            assertOutage(failureInTime(operations().get(i).getName(), calls.get(i)));
        }
    }

    private void assertWorkWhenHealed(List<LockBackend> handles) {
        proxy().heal();
        for (LockBackend handle : handles) {
            retrying(() -> handle.isLocked(OTHER_KEY));
        }
    }
}
