package io.fenceline.testkit;

import static io.fenceline.testkit.BackendOperation.ACQUIRE;
import static io.fenceline.testkit.BackendOperation.RELEASE;
import static io.fenceline.testkit.BackendOperation.SIGNAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FaultyLockBackendTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final Executor NEW_THREAD = task -> new Thread(task).start();
    private static final AcquireRequest REQUEST =
            AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("tester"));

    private final ManualTime time = new ManualTime();
    private final FaultScript script = new FaultScript();
    private final MemoryLockBackend sound = new MemoryLockBackend();
    private final FaultyLockBackend faulty = FaultyLockBackend.over(sound, script, time.source());

    @Test
    void isSoundWithoutFaults() {
        assertThat(faulty.acquire(REQUEST)).isInstanceOf(Acquisition.Granted.class);
        assertThat(faulty.extend(KEY, REQUEST.lockId(), REQUEST.ttl())).isPresent();
        assertThat(faulty.lookup(KEY)).isPresent();
        assertThat(faulty.lookup(REQUEST.lockId())).isPresent();
        assertThat(faulty.release(KEY, REQUEST.lockId())).isTrue();
        assertThat(faulty.isLocked(KEY)).isFalse();
    }

    @Test
    void doesNothingWhenTheRequestIsLost() {
        script.next(ACQUIRE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> faulty.acquire(REQUEST))
                .returns(ErrorCode.NETWORK_TIMEOUT, BackendException::code)
                .returns(Effect.UNKNOWN, BackendException::effect);

        assertThat(sound.isLocked(KEY)).isFalse();
    }

    @Test
    void doesItAllTheSameWhenTheReplyIsLost() {
        script.next(ACQUIRE, Fault.lostReply());

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> faulty.acquire(REQUEST))
                .returns(Effect.UNKNOWN, BackendException::effect);

        assertThat(sound.isLocked(KEY)).isTrue();
    }

    @Test
    void saysThatNothingHappenedWhenItRefuses() {
        script.next(ACQUIRE, Fault.refusal(ErrorCode.RATE_LIMITED));

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> faulty.acquire(REQUEST))
                .returns(ErrorCode.RATE_LIMITED, BackendException::code)
                .returns(Effect.NONE, BackendException::effect);

        assertThat(sound.isLocked(KEY)).isFalse();
    }

    @Test
    void failsAsOftenAsTheScriptSays() {
        script.times(3, ACQUIRE, Fault.lostRequest());

        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(BackendException.class).isThrownBy(() -> faulty.acquire(REQUEST));
        }

        assertThat(faulty.acquire(REQUEST)).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void failsOnlyWhereTheScriptSays() {
        script.always(RELEASE, Fault.lostRequest());

        faulty.acquire(REQUEST);

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> faulty.release(KEY, REQUEST.lockId()));
        assertThat(faulty.isLocked(KEY)).isTrue();
    }

    @Test
    void canHaveAnOutageAndRecover() {
        script.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> faulty.acquire(REQUEST));
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> faulty.isLocked(KEY));

        script.everything(Fault.none());

        assertThat(faulty.acquire(REQUEST)).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void delaysTheRequestAndTheReplyByItsOwnTime() throws Exception {
        script.next(ACQUIRE, Fault.none().withDelayBefore(Duration.ofSeconds(2)).withDelayAfter(Duration.ofSeconds(3)));
        CompletableFuture<Acquisition> answer =
                CompletableFuture.supplyAsync(() -> faulty.acquire(REQUEST), NEW_THREAD);

        time.awaitParked(1);
        assertThat(sound.isLocked(KEY)).isFalse();
        assertThat(time.untilNextWake()).contains(Duration.ofSeconds(2));
        time.advance(Duration.ofSeconds(2));

        time.awaitParked(1);
        assertThat(sound.isLocked(KEY)).isTrue();
        assertThat(time.untilNextWake()).contains(Duration.ofSeconds(3));
        time.advance(Duration.ofSeconds(3));

        assertThat(answer.get(10, TimeUnit.SECONDS)).isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    void keepsTheInterruptStatusOfAThreadThatWaitedForAReply() {
        script.next(ACQUIRE, Fault.lostReply().withDelayAfter(Duration.ofDays(1)));
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> faulty.acquire(REQUEST))
                .returns(Effect.UNKNOWN, BackendException::effect);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void passesAbilitiesOn() {
        assertThat(faulty.ability(LockCatalog.class)).contains(sound);
        assertThat(faulty.ability(ReleaseSignals.class)).isPresent();
        assertThat(faulty.ability(Runnable.class)).isEmpty();
    }

    @Test
    void losesSignals() {
        List<Signal> heard = new ArrayList<>();
        faulty.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, LockId.random(), heard::add);
        script.next(SIGNAL, Fault.lostRequest());

        faulty.acquire(REQUEST);
        faulty.release(KEY, REQUEST.lockId());
        assertThat(heard).isEmpty();

        faulty.acquire(REQUEST);
        faulty.release(KEY, REQUEST.lockId());
        assertThat(heard).hasSize(1);
    }

    @Test
    void cannotCallALostReplyHarmless() {
        Fault lost = Fault.lostReply();

        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new Fault(lost.delayBefore(), lost.loss(), lost.delayAfter(), lost.code(), Effect.NONE));
    }

    @Test
    void hasTheSameAccidentsForTheSameSeed() {
        assertThat(accidents(7)).isEqualTo(accidents(7)).isNotEqualTo(accidents(8));
    }

    @Test
    void hasAsManyAccidentsAsItsProbabilitySays() {
        long failed = accidents(1).stream()
                .filter(fault -> fault.loss() != Fault.Loss.NOTHING)
                .count();

        assertThat(failed).isBetween(200L, 400L);
        assertThat(accidents(1)).allMatch(fault -> fault.delayAfter().compareTo(Duration.ofMillis(5)) <= 0);
    }

    @Test
    void countsNothingButCalls() {
        CountingLockBackend counting = CountingLockBackend.over(faulty);
        script.next(ACQUIRE, Fault.lostRequest());

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> counting.acquire(REQUEST));
        counting.acquire(REQUEST);

        assertThat(counting.count(ACQUIRE)).isEqualTo(2);
        assertThat(counting.count(RELEASE)).isZero();
        assertThat(counting.ability(LockCatalog.class)).contains(sound);
    }

    private static List<Fault> accidents(long seed) {
        FaultPlan plan = new RandomFaults(seed, 0.3, Duration.ofMillis(5));
        return IntStream.range(0, 1000).mapToObj(i -> plan.next(ACQUIRE)).toList();
    }
}
