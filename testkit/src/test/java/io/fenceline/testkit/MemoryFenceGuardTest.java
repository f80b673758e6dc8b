package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MemoryFenceGuardTest extends FenceGuardContract {

    @Override
    protected GuardFixture newFixture() {
        return new MemoryFixture();
    }

    @Test
    void tellsThatAClaimWasAccepted() {
        List<LockEvent> events = new ArrayList<>();
        FenceStamp stamp = new FenceStamp(LockKey.of("lock"), FencingToken.of(2));

        new MemoryFenceGuard(FenceRule.AT_LEAST, events::add).claim("resource", stamp);

        assertThat(events)
                .filteredOn(LockEvent.GuardAnswered.class::isInstance)
                .containsExactly(new LockEvent.GuardAnswered("resource", stamp, GuardAct.CLAIM, true));
    }

    @Test
    void countsAWriteThatFailedAsAClaim() {
        MemoryFenceGuard guard = new MemoryFenceGuard(FenceRule.ONCE);
        FenceStamp stamp = new FenceStamp(LockKey.of("lock"), FencingToken.of(2));

        assertThatIllegalStateException()
                .isThrownBy(() -> guard.write("resource", stamp, () -> {
                    throw new IllegalStateException("disk full");
                }));

        assertThat(guard.highest("resource")).contains(stamp);
        assertThat(guard.<String>call("resource", stamp, () -> "done")).isEqualTo("done");
    }

    @Test
    @Tag("R4")
    void keepsAClaimThatCameFromWithinAWrite() {
        MemoryFenceGuard guard = new MemoryFenceGuard();
        LockKey key = LockKey.of("lock");

        guard.call("resource", new FenceStamp(key, FencingToken.of(3)), () -> {
            guard.claim("resource", new FenceStamp(key, FencingToken.of(5)));
            return "written";
        });

        assertThat(guard.highest("resource")).contains(new FenceStamp(key, FencingToken.of(5)));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.claim("resource", new FenceStamp(key, FencingToken.of(4))));
    }

    /** Names may come from strangers: millions of them would else fill the memory. */
    @Test
    void keepsNothingOfAResourceThatWasOnlyAskedFor() throws ReflectiveOperationException {
        MemoryFenceGuard guard = new MemoryFenceGuard();
        Field slots = MemoryFenceGuard.class.getDeclaredField("slots");
        slots.setAccessible(true);

        assertThat(guard.highest("resource")).isEmpty();
        assertThat(guard.check("resource", new FenceStamp(LockKey.of("lock"), FencingToken.of(1)))
                        .isAccepted())
                .isTrue();

        assertThat((Map<?, ?>) slots.get(guard)).isEmpty();
    }

    /** A guard per rule on one map; what is opened twice is the same object, as memory is. */
    private static final class MemoryFixture implements GuardFixture {

        private final Map<String, String> texts = new ConcurrentHashMap<>();
        private final Map<FenceRule, MemoryFenceGuard> guards = new ConcurrentHashMap<>();

        @Override
        public GuardedData open(FenceRule rule, LockListener... listeners) {
            MemoryFenceGuard guard = guards.computeIfAbsent(rule, wanted -> new MemoryFenceGuard(wanted, listeners));
            return new MemoryData(guard, texts);
        }

        @Override
        public void restart() {}

        @Override
        public int cycles() {
            return 500;
        }

        @Override
        public void close() {}
    }

    private record MemoryData(MemoryFenceGuard memory, Map<String, String> texts) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return memory;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            memory.write(resource, stamp, () -> texts.put(resource, value));
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            memory.write(resource, stamp, () -> texts.remove(resource));
        }

        @Override
        public Optional<String> read(String resource) {
            return Optional.ofNullable(texts.get(resource));
        }
    }
}
