package io.fenceline.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.KeyView;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans nest as the work does, carry the token, and hide keys. */
class ObservationsTest {

    private final List<Observation.Context> ended = new ArrayList<>();
    private final ObservationRegistry registry = registry();
    private final FencelineObservations observations = FencelineObservations.on(registry, KeyView.plain());
    private final MemoryFenceGuard guard = new MemoryFenceGuard(FenceRule.AT_LEAST, observations);
    private final LockBackend backend = new MemoryLockBackend();
    private final Locks locks = Locks.builder(backend).listener(observations).build();

    private ObservationRegistry registry() {
        ObservationRegistry made = ObservationRegistry.create();
        made.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                ended.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return made;
    }

    @AfterEach
    void end() {
        assertThat(registry.getCurrentObservation()).isNull();
        locks.close();
        backend.close();
    }

    private String told(int index) {
        Observation.Context context = ended.get(index);
        return context.getName() + " "
                + context.getAllKeyValues().stream()
                        .map(KeyValue::toString)
                        .map(text -> text.replaceAll("keyValue\\((.*)\\)", "$1"))
                        .collect(Collectors.joining(" "));
    }

    private static String nameOf(ObservationView observation) {
        return observation == null ? null : observation.getContextView().getName();
    }

    @Test
    void makeNoTimerThatFencelineMetricsHasAlready() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        meters.config().meterFilter(FencelineObservations.withoutTimers());
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));

        locks.run("invoice:42", lease -> {
            guard.claim("total", lease.stamp());
            guard.write("total", lease.stamp(), () -> {});
        });

        assertThat(ended.stream().map(Observation.Context::getName))
                .contains("fenceline.acquiring", "fenceline.claiming", "fenceline.writing", "fenceline.body");
        assertThat(meters.getMeters().stream().map(meter -> meter.getId().getName()))
                .containsOnly("fenceline.body", "fenceline.body.active");
    }

    @Test
    void tellOfTheLockTheBodyAndTheWriteInIt() throws Exception {
        locks.call("invoice:42", lease -> {
            assertThat(nameOf(registry.getCurrentObservation())).isEqualTo(FencelineObservations.BODY);
            return guard.call("total", lease.stamp(), () -> "paid");
        });

        assertThat(ended)
                .extracting(Observation.Context::getName)
                .containsExactly(
                        FencelineObservations.ACQUIRE, FencelineObservations.WRITE, FencelineObservations.BODY);
        assertThat(nameOf(ended.get(1).getParentObservation())).isEqualTo(FencelineObservations.BODY);
        assertThat(told(0)).contains("acquired").contains("invoice:42").contains("000000000000001");
        assertThat(told(1)).contains("accepted").contains("total").contains("000000000000001");
        assertThat(told(2)).contains("returned").contains("invoice:42");
    }

    @Test
    void tellAStaleWriteWithBothTokensAndABodyThatFailed() {
        LockKey key = LockKey.of("invoice:42");
        guard.claim("total", new FenceStamp(key, FencingToken.of(9)));

        assertThatThrownBy(() -> locks.run("invoice:42", lease -> guard.call("total", lease.stamp(), () -> "late")))
                .isInstanceOf(StaleTokenException.class);

        assertThat(told(2)).contains("stale").contains("000000000000001").contains("000000000000009");
        assertThat(ended.get(3).getName()).isEqualTo(FencelineObservations.BODY);
        assertThat(ended.get(3).getError()).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void areClosedAlthoughAHandlerFails() throws Exception {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onScopeOpened(Observation.Context context) {
                throw new IllegalStateException("a fault of a handler (thrown by the test)");
            }

            @Override
            public void onError(Observation.Context context) {
                throw new IllegalStateException("a fault of a handler (thrown by the test)");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });

        assertThatThrownBy(() -> locks.run("invoice:42", lease -> {
                    throw new IOException("of the body");
                }))
                .isInstanceOf(IOException.class);

        assertThat(ended)
                .extracting(Observation.Context::getName)
                .containsExactly(FencelineObservations.ACQUIRE, FencelineObservations.BODY);
    }

    @Test
    void tellAnAttemptInVain() throws Exception {
        locks.acquire("invoice:42");

        assertThat(locks.tryAcquire("invoice:42")).isEmpty();

        assertThat(told(1)).contains("outcome").contains("taken");
    }

    @Test
    void hideKeysUnlessTheyAreAskedFor() throws Exception {
        FencelineObservations hiding = FencelineObservations.on(registry);
        MemoryFenceGuard silent = new MemoryFenceGuard(FenceRule.AT_LEAST, hiding);

        silent.claim("total of mrs. smith", new FenceStamp(LockKey.of("mrs. smith"), FencingToken.of(9)));

        assertThat(told(0)).doesNotContain("smith").containsPattern("[0-9a-f]{24}");
    }
}
