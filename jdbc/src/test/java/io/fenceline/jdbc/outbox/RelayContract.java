package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.testkit.ManualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One relay is current; how relays begin, wait and end. */
@Timeout(60)
abstract class RelayContract extends OutboxVocabulary {

    private static final RelayOptions OPTIONS = RelayOptions.defaults().withAttempts(10, AT_ONCE);

    private final ManualTime time = new ManualTime();

    @Test
    @Tag("R1")
    void whichWasPausedAndSupersededMarksNothingAndKeepsTheOrder() throws Exception {
        charge("order:1", 7, "charge");
        charge("order:1", 7, "ship");
        charge("order:1", 7, "thank");
        CountDownLatch delivering = new CountDownLatch(1);
        CountDownLatch woken = new CountDownLatch(1);
        OutboxRelay paused = relay(1, OPTIONS, attempt -> {
            delivering.countDown();
            woken.await();
            return receiver.deliver(attempt);
        });
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread first = inBackground(paused::run, end);
        assertThat(delivering.await(30, TimeUnit.SECONDS)).isTrue();

        receiver.answer("thank", DeliveryResult.tryAgain("busy"));
        OutboxRelay current = relay(2, OPTIONS.withAttempts(10, MUCH_LATER));
        drain(current);
        woken.countDown();
        first.join(30_000);

        assertThat(end.get()).isInstanceOfSatisfying(StaleTokenException.class, refusal -> {
            assertThat(refusal.resource()).isEqualTo("outbox/payments");
            assertThat(refusal.gap()).isEqualTo(1);
        });
        assertThat(receiver.heard).containsExactly("charge", "ship", "thank", "charge");
        assertThat(receiver.effects).containsExactly("charge", "ship");
        assertThat(entry("charge").attempts()).isEqualTo(2);
        assertThat(entry("thank").lastError()).isEqualTo("busy");
    }

    @Test
    @Tag("R1")
    void whichIsStaleCannotUndoWhatTheCurrentOneMarked() throws Exception {
        charge("order:1", 7, "charge");
        OutboxRelay stale = relay(1, OPTIONS, attempt -> {
            drain(relay(2, OPTIONS));
            return DeliveryResult.refused("too late");
        });

        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(stale::round);

        assertState("charge", OutboxState.DELIVERED);
    }

    @Test
    @Tag("R4")
    void isCurrentFromItsClaimOnEvenIfItFindsNothingToDo() throws Exception {
        OutboxRelay first = relay(1, OPTIONS);
        assertThat(first.round()).isFalse();
        assertThat(relay(2, OPTIONS).round()).isFalse();
        charge("order:1", 7, "charge");

        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(first::round);
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(relay(1, OPTIONS)::round);

        assertThat(receiver.heard).isEmpty();
    }

    @Test
    @Tag("R7")
    void ofAnotherLockIsRefused() throws Exception {
        relay(1, OPTIONS).round();
        OutboxRelay foreign = new OutboxRelay(outbox, receiver, () -> Optional.of(stamp("other lock", 2)), OPTIONS);

        assertThatExceptionOfType(ForeignTokenException.class).isThrownBy(foreign::round);
    }

    @Test
    void beginsNoMoreMessagesOnceItsLeaseIsLost() throws Exception {
        charge("order:1", 7, "charge");
        charge("order:1", 7, "ship");
        AtomicBoolean held = new AtomicBoolean(true);
        receiver.afterwards("charge", () -> held.set(false));
        OutboxRelay relay = new OutboxRelay(
                outbox, receiver, () -> Optional.of(stamp("relay", 1)).filter(stamp -> held.get()), OPTIONS);

        assertThat(relay.round()).isTrue();
        assertThat(relay.round()).isFalse();

        assertThat(receiver.heard).containsExactly("charge");
        assertState("charge", OutboxState.DELIVERED);
        assertState("ship", OutboxState.PENDING);
    }

    @Test
    void claimsAgainUnderALeaseThatItGotLater() throws Exception {
        AtomicInteger token = new AtomicInteger(1);
        OutboxRelay relay = new OutboxRelay(outbox, receiver, () -> Optional.of(stamp("relay", token.get())), OPTIONS);
        relay.round();
        relay(2, OPTIONS).round();
        token.set(3);
        assertThat(relay.round()).isFalse();
        assertThat(guard.highest("outbox/payments")).contains(stamp("relay", 3));
        charge("order:1", 7, "charge");

        drain(relay);

        assertState("charge", OutboxState.DELIVERED);
    }

    @Test
    void looksAgainAfterAWhileAndWhenItIsNudged() throws Exception {
        OutboxRelay relay =
                relay(1, OPTIONS.withPollInterval(Duration.ofMinutes(1)).withTime(time.source()));
        CompletableFuture<Void> end = relay.start().toCompletableFuture();
        time.awaitParked(1);
        charge("order:1", 7, "charge");

        time.advance(Duration.ofMinutes(1));
        await().until(() -> entry("charge").state() == OutboxState.DELIVERED);

        time.awaitParked(1);
        charge("order:1", 7, "ship");
        relay.nudge();
        await().until(() -> entry("ship").state() == OutboxState.DELIVERED);

        relay.close();
        assertThat(end).succeedsWithin(Duration.ofSeconds(30));
        relay.close();
        assertThatIllegalStateException().isThrownBy(relay::run);
    }

    @Test
    void waitsWhileItHasNoLease() throws Exception {
        charge("order:1", 7, "charge");
        AtomicReference<Long> token = new AtomicReference<>(0L);
        OutboxRelay relay = new OutboxRelay(
                outbox,
                receiver,
                () -> Optional.of(token.get()).filter(held -> held > 0).map(held -> stamp("relay", held)),
                OPTIONS.withTime(time.source()));
        relay.start();
        time.awaitParked(1);
        assertThat(receiver.heard).isEmpty();

        token.set(1L);
        time.advance(Duration.ofSeconds(1));

        await().until(() -> entry("charge").state() == OutboxState.DELIVERED);
        relay.close();
    }

    @Test
    void endsWithTheRefusalWhenItIsSuperseded() throws Exception {
        OutboxRelay relay = relay(1, OPTIONS.withTime(time.source()));
        CompletableFuture<Void> end = relay.start().toCompletableFuture();
        time.awaitParked(1);
        charge("order:1", 7, "charge");
        guard.claim("outbox/payments", stamp("relay", 2));

        relay.nudge();

        assertThat(end)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(StaleTokenException.class);
        assertThat(receiver.heard).isEmpty();
    }

    @Test
    void marksTheMessageInDeliveryWhenItIsClosed() throws Exception {
        charge("order:1", 7, "charge");
        charge("order:1", 7, "ship");
        CountDownLatch delivering = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        OutboxRelay relay = relay(1, OPTIONS, attempt -> {
            delivering.countDown();
            closed.await();
            return receiver.deliver(attempt);
        });
        CompletableFuture<Void> end = relay.start().toCompletableFuture();
        assertThat(delivering.await(30, TimeUnit.SECONDS)).isTrue();
        AtomicReference<Throwable> trouble = new AtomicReference<>();
        Thread closing = inBackground(relay::close, trouble);
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);

        closed.countDown();

        assertThat(end).succeedsWithin(Duration.ofSeconds(30));
        closing.join(30_000);
        assertThat(trouble.get()).isNull();
        assertState("charge", OutboxState.DELIVERED);
        assertState("ship", OutboxState.PENDING);
    }

    @Test
    void interruptsADeliveryThatDoesNotEnd() throws Exception {
        charge("order:1", 7, "charge");
        CountDownLatch delivering = new CountDownLatch(1);
        OutboxRelay relay = relay(1, OPTIONS.withCloseLimit(Duration.ofMillis(1)), attempt -> {
            delivering.countDown();
            new CountDownLatch(1).await();
            return DeliveryResult.delivered();
        });
        CompletableFuture<Void> end = relay.start().toCompletableFuture();
        assertThat(delivering.await(30, TimeUnit.SECONDS)).isTrue();

        relay.close();

        assertThat(end)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(InterruptedException.class);
        assertState("charge", OutboxState.PENDING);
    }

    @Test
    void goesOnWhenTheDatabaseIsBack() throws Exception {
        charge("order:1", 7, "charge");
        FailingDataSource failing = new FailingDataSource(source);
        Outbox reached = Outbox.on(failing, OutboxOptions.named("payments"));
        OutboxRelay relay = new OutboxRelay(
                reached, receiver, () -> Optional.of(stamp("relay", 1)), OPTIONS.withTime(time.source()));
        failing.fail(true);
        relay.start();
        time.awaitParked(1);
        assertThat(receiver.heard).isEmpty();

        failing.fail(false);
        time.advance(Duration.ofSeconds(1));

        await().until(() -> entry("charge").state() == OutboxState.DELIVERED);
        relay.close();
    }
}
