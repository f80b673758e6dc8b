package io.fenceline.engine;

import static io.fenceline.engine.Bench.KEY;
import static io.fenceline.engine.Bench.NAME;
import static io.fenceline.engine.Bench.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.ReleaseOutcome;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.WaiterNotices;
import io.fenceline.testkit.BackendOperation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that passes a lock on among its threads leaves it to another one that posted that it waits. */
@Tag("L7")
class WaiterNoticesTest {

    private static final Duration TENURE = Duration.ofMillis(50);
    private static final Duration PAUSE = Duration.ofMillis(300);
    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final Duration OFF_AFTER_A_FAILURE = Duration.ofSeconds(10);
    private static final BackendException NO_ANSWER =
            new BackendException(ErrorCode.NETWORK_TIMEOUT, Effect.UNKNOWN, "no answer", null);
    private static final LockOptions PATIENT = OPTIONS.withMaxWait(Duration.ofHours(1));

    private final Bench bench = Bench.polling();
    private final Notices notices = new Notices();
    private final Locks locks = Locks.builder(notices.beside(bench.backend))
            .time(bench.time.source())
            .random(() -> 0.5)
            .defaults(PATIENT)
            .withoutThread()
            .build();

    /** The store's notices, which the test posts for another process. */
    private static final class Notices implements WaiterNotices {
        private final List<Duration> posted = new CopyOnWriteArrayList<>();
        private Optional<Duration> found = Optional.empty();
        private Optional<RuntimeException> failure = Optional.empty();
        private Runnable onTake = () -> {};
        private int taken;
        private int asked;

        @Override
        public void post(LockKey key, Duration nextAttempt, Duration timeout) {
            asked++;
            assertThat(timeout).isEqualTo(TIMEOUT);
            failure.ifPresent(this::fail);
            posted.add(nextAttempt);
        }

        @Override
        public Optional<Duration> take(LockKey key, Duration timeout) {
            asked++;
            taken++;
            onTake.run();
            assertThat(timeout).isEqualTo(TIMEOUT);
            failure.ifPresent(this::fail);
            Optional<Duration> notice = found;
            found = Optional.empty();
            return notice;
        }

        private void fail(RuntimeException e) {
            throw e;
        }

        LockBackend beside(LockBackend backend) {
            return new ForwardingLockBackend(backend) {
                @Override
                public <T> Optional<T> ability(Class<T> type) {
                    return type == WaiterNotices.class ? Optional.of(type.cast(Notices.this)) : super.ability(type);
                }
            };
        }
    }

    @Test
    void arePostedFromTheSecondRefusalOn() throws Exception {
        Grant strangers = bench.takenByStranger(Duration.ofHours(1));
        Background<Lease> waiter = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);
        assertThat(notices.posted).isEmpty();

        bench.time.advance(bench.nextWake());
        bench.time.awaitParked(1);

        Duration pause = bench.nextWake();
        assertThat(pause).isEqualTo(Duration.ofMillis(200));
        assertThat(notices.posted)
                .singleElement()
                .satisfies(posted -> assertThat(posted).isBetween(pause, pause.plusMillis(10)));
        bench.releasedByStranger(strangers);
        bench.time.advance(pause);
        waiter.result();
    }

    @Test
    void countTheWaysToTheStoreAndBack() throws Exception {
        Duration roundTrip = Duration.ofMillis(40);
        Grant strangers = bench.takenByStranger(Duration.ofHours(1));
        Background<Lease> waiter = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);

        bench.events.before(BackendOperation.ACQUIRE, () -> bench.time.advance(roundTrip));
        bench.time.advance(bench.nextWake());
        bench.time.awaitParked(1);

        Duration pause = bench.nextWake();
        assertThat(notices.posted)
                .singleElement()
                .satisfies(posted -> assertThat(posted).isGreaterThanOrEqualTo(pause.plus(roundTrip.multipliedBy(2))));
        bench.releasedByStranger(strangers);
        bench.time.advance(pause);
        waiter.result();
    }

    @Test
    void leaveTheLockFreeForAsLongAsTheySay() throws Exception {
        Background<Lease> next = handOverAfter(TENURE, PAUSE);

        bench.time.awaitParked(1);
        assertThat(bench.nextWake()).isEqualTo(PAUSE);
        Grant strangers = bench.takenByStranger(Duration.ofHours(1));
        bench.releasedByStranger(strangers);
        bench.time.advance(PAUSE);

        assertThat(next.result().token().isNewerThan(strangers.token())).isTrue();
    }

    @Test
    void areNotLookedForBeforeTheProcessHasHadTheLockForAWhile() throws Exception {
        Background<Lease> next = handOverAfter(TENURE.minusMillis(1), PAUSE);

        next.result();
        assertThat(notices.taken).isZero();
    }

    @Test
    void areNotLookedForIfNobodyStandsInLine() throws Exception {
        Lease lease = locks.acquire(NAME);
        bench.pass(TENURE);

        lease.close();

        assertThat(notices.taken).isZero();
    }

    @Test
    void areLookedForAgainWhenTheProcessHasHadTheLockForAWhileOnceMore() throws Exception {
        Background<Lease> second = handOverAfter(TENURE, PAUSE);
        bench.time.awaitParked(1);
        bench.time.advance(PAUSE);
        Lease lease = second.result();
        Background<Lease> third = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);

        bench.pass(TENURE.minusMillis(1));
        lease.close();

        third.result();
        assertThat(notices.taken).isOne();
    }

    @Test
    void countTheTimeOfAllThreadsThatPassedTheLockOn() throws Exception {
        Background<Lease> second = handOverAfter(TENURE.minusMillis(1), PAUSE);
        Lease lease = second.result();
        Background<Lease> third = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);

        bench.pass(Duration.ofMillis(1));
        lease.close();

        bench.time.awaitParked(1);
        assertThat(notices.taken).isOne();
        bench.time.advance(PAUSE);
        third.result();
    }

    @Test
    void cannotKeepALockFreeForLong() throws Exception {
        Background<Lease> next = handOverAfter(TENURE, Duration.ofHours(1));

        bench.time.awaitParked(1);
        bench.time.advance(Duration.ofMillis(1200));

        next.result();
    }

    @Test
    void doNoHarmWhereTheStoreFails() throws Exception {
        notices.failure = Optional.of(NO_ANSWER);

        handOverAfter(TENURE, PAUSE).result().close();

        Grant strangers = bench.takenByStranger(Duration.ofHours(1));
        Background<Lease> waiter = Background.start(() -> locks.acquire(NAME));
        for (int i = 0; i < 3; i++) {
            bench.time.awaitParked(1);
            bench.time.advance(bench.nextWake());
        }
        bench.time.awaitParked(1);
        bench.releasedByStranger(strangers);
        bench.time.advance(bench.nextWake());
        waiter.result();
    }

    @Test
    void areNotLookedForAgainRightAfterNoneWasFound() throws Exception {
        Lease second = handOverAfter(TENURE, Duration.ZERO).result();
        assertThat(notices.taken).isOne();

        handOverAgain(second, TENURE.minusMillis(1)).result();

        assertThat(notices.taken).isOne();
    }

    @Test
    void areLookedForWhenTheLockIsFree() throws Exception {
        notices.onTake = () -> assertThat(bench.stranger.lookup(KEY)).isEmpty();

        handOverAfter(TENURE, Duration.ZERO).result();

        assertThat(notices.taken).isOne();
    }

    @Test
    void areNotAskedForSoonAfterTheStoreFailed() throws Exception {
        notices.failure = Optional.of(NO_ANSWER);
        Lease second = handOverAfter(TENURE, PAUSE).result();
        assertThat(notices.asked).isOne();

        Lease third = handOverAgain(second, OFF_AFTER_A_FAILURE.minusMillis(1)).result();
        assertThat(notices.asked).isOne();

        handOverAgain(third, TENURE).result();
        assertThat(notices.asked).isEqualTo(2);
    }

    @Test
    void changeNothingAboutAReleaseWhateverTheyThrow() throws Exception {
        notices.failure = Optional.of(new IllegalStateException("a data source failed"));
        Lease lease = locks.acquire(NAME);
        Background<Lease> next = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);
        bench.pass(TENURE);

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);

        next.result();
    }

    @Test
    void areNotPostedAtTheEndOfTheWait() throws Exception {
        bench.takenByStranger(Duration.ofHours(1));
        Background<Lease> waiter =
                Background.start(() -> locks.acquire(NAME, PATIENT.withMaxWait(Duration.ofMillis(80))));
        bench.time.awaitParked(1);
        bench.time.advance(bench.nextWake());

        assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
        assertThat(notices.asked).as("the second refusal was the last").isZero();
    }

    @Test
    void areNotLookedForAtOnceAfterAThreadThatGaveUp() throws Exception {
        Grant strangers = bench.takenByStranger(Duration.ofHours(1));
        Background<Lease> first = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);
        Background<Lease> second = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(2);
        bench.releasedByStranger(strangers);
        first.interrupt();
        assertThat(first.failure()).isInstanceOf(InterruptedException.class);

        handOverAgain(second.result(), TENURE.minusMillis(1)).result();

        assertThat(notices.taken).isZero();
    }

    private Background<Lease> handOverAgain(Lease lease, Duration held) throws Exception {
        Background<Lease> next = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);
        bench.pass(held);
        lease.close();
        return next;
    }

    /** One thread has had the lock for a while and releases it, another stands in line and a third process has posted a notice. */
    private Background<Lease> handOverAfter(Duration held, Duration notice) throws Exception {
        Lease lease = locks.acquire(NAME);
        assertThat(lease.key()).isEqualTo(KEY);
        Background<Lease> next = Background.start(() -> locks.acquire(NAME));
        bench.time.awaitParked(1);
        bench.pass(held);
        notices.found = Optional.of(notice);
        lease.close();
        return next;
    }
}
