package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract of a backend object for those who close it, interrupt it or use it badly. */
abstract class HandleContract extends ContractVocabulary {

    @Test
    @Tag("G1")
    void leavesLeasesRunningWhenClosed() {
        Grant grant = take(KEY);

        backend.close();
        backend = fixture().open();

        isRefused(KEY);
        assertThat(release(grant)).isTrue();
    }

    @Test
    void canBeClosedTwice() {
        backend.close();

        assertThatCode(backend::close).doesNotThrowAnyException();
    }

    @Test
    void leavesOtherHandlesOpenWhenClosed() {
        LockBackend other = fixture().open();

        other.close();

        take(KEY);
    }

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("operations")
    void saysThatItIsClosedAndThatNothingWasDone(Consumer<LockBackend> operation) {
        backend.close();

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> operation.accept(backend))
                .returns(Effect.NONE, BackendException::effect);
    }

    @Test
    @Tag("G10")
    void failsInNoOtherWayWhenClosedByAnotherThread() {
        AtomicBoolean closing = new AtomicBoolean();
        Race.of(fixture().racers(), i -> () -> {
            if (i == 0) {
                fixture().open().isLocked(KEY);
                closing.set(true);
                backend.close();
            } else {
                workUntilClosed(closing);
            }
            return i;
        });

        backend = fixture().open();
        assertThat(backend.isLocked(OTHER_KEY)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void outlivesAThreadThatComesInterrupted(Consumer<LockBackend> operation) {
        Thread.currentThread().interrupt();
        try {
            operation.accept(backend);
        } catch (BackendException allowed) {
            assertThat(allowed).isNotNull();
        } finally {
            assertThat(Thread.interrupted()).as("interrupt status is kept").isTrue();
        }

        takeAndRelease(OTHER_KEY);
    }

    @Test
    @Tag("G7")
    void letsAnInterruptedAttemptBeRepeated() {
        LockId lockId = LockId.random();
        Thread.currentThread().interrupt();
        try {
            backend.acquire(request(KEY, lockId, LONG_TTL));
        } catch (BackendException allowed) {
            assertThat(allowed).isNotNull();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }

        Grant grant = granted(backend.acquire(request(KEY, lockId, LONG_TTL)));
        assertHeldBy(grant);
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G9")
    void outlivesAStormOfBadCalls() {
        Grant grant = take(KEY);

        Race.of(fixture().racers(), i -> () -> {
            for (int n = 0; n < 10; n++) {
                assertThat(backend.release(KEY, LockId.random())).isFalse();
                assertThat(backend.extend(KEY, LockId.random(), LONG_TTL)).isEmpty();
                assertThatCode(() -> backend.extend(KEY, LockId.random(), Duration.ZERO))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThat(backend.lookup(LockId.random())).isEmpty();
            }
            return i;
        });

        assertHeldBy(grant);
        assertThat(release(grant)).isTrue();
    }

    @Test
    void hasNoAbilityThatNobodyKnows() {
        assertThat(backend.ability(Runnable.class)).isEmpty();
    }

    static Stream<Named<Consumer<LockBackend>>> operations() {
        return Stream.of(
                Named.of("acquire", backend -> backend.acquire(request(KEY, LockId.random(), LONG_TTL))),
                Named.of("extend", backend -> backend.extend(KEY, LockId.random(), LONG_TTL)),
                Named.of("release", backend -> backend.release(KEY, LockId.random())),
                Named.of("release after", backend -> backend.releaseAfter(KEY, LockId.random(), LONG_TTL)),
                Named.of("lookup by key", backend -> backend.lookup(KEY)),
                Named.of("lookup by lock id", backend -> backend.lookup(LockId.random())),
                Named.of("isLocked", backend -> backend.isLocked(KEY)));
    }

    private void workUntilClosed(AtomicBoolean closing) {
        try {
            while (true) {
                LockId lockId = LockId.random();
                backend.acquire(request(KEY, lockId, shortTtl()));
                backend.release(KEY, lockId);
            }
        } catch (BackendException closed) {
            assertThat(closing).as("closing when an operation failed").isTrue();
        }
    }
}
