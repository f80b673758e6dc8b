package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dead letters, compensations, and what operators do. */
abstract class GivingUpContract extends OutboxVocabulary {

    private static final RelayOptions THRICE = RelayOptions.defaults().withAttempts(3, AT_ONCE);

    private void add(String... keys) throws Exception {
        for (String key : keys) {
            charge("order:1", 7, key);
        }
    }

    private void roundsUntil(OutboxRelay relay, String key, OutboxState state) {
        await().until(() -> {
            relay.round();
            return entry(key).state() == state;
        });
    }

    @Test
    void isDeadAfterItsLastAttempt() throws Exception {
        add("charge", "ship");
        receiver.answer("charge", DeliveryResult.tryAgain("the gateway is away"));
        OutboxRelay relay = relay(1, THRICE);

        roundsUntil(relay, "charge", OutboxState.DEAD);
        drain(relay);

        assertThat(receiver.heard).containsExactly("charge", "charge", "charge");
        assertThat(entry("charge").lastError()).isEqualTo("given up after 3 attempts: the gateway is away");
        assertState("ship", OutboxState.PENDING);
        OutboxProgress progress = outbox.progress();
        assertThat(progress.dead()).isEqualTo(1);
        assertThat(progress.pending()).isEqualTo(1);
        assertThat(progress.oldest().orElseThrow()).isBetween(Duration.ZERO, Duration.ofMinutes(5));
        assertThat(outbox.list(OutboxState.DEAD, 10))
                .extracting(dead -> dead.message().idempotencyKey())
                .containsExactly("charge");
    }

    @Test
    void isDeadAtOnceIfTheReceiverRefusesItForGood() throws Exception {
        add("charge");
        receiver.answer("charge", DeliveryResult.refused("no such account"));

        drain(relay(1, THRICE));

        assertState("charge", OutboxState.DEAD);
        assertThat(receiver.heard).hasSize(1);
        assertThat(entry("charge").lastError()).isEqualTo("refused: no such account");
    }

    @Test
    void holdsUpWhatFollowsUntilItIsRetried() throws Exception {
        add("charge", "ship");
        receiver.answer("charge", DeliveryResult.refused("no such account"));
        OutboxRelay relay = relay(1, THRICE);
        drain(relay);
        assertThat(receiver.effects).isEmpty();

        receiver.accept("charge");
        assertThat(outbox.retry("charge", OPERATOR)).isTrue();
        assertThat(entry("charge").attempts()).isZero();
        assertThat(entry("charge").lastError()).contains("ann").contains("no such account");
        drain(relay);

        assertThat(receiver.effects).containsExactly("charge", "ship");
        assertThat(outbox.retry("charge", OPERATOR)).isFalse();
        assertThat(outbox.skip("charge", OPERATOR)).isFalse();
    }

    @Test
    void holdsUpWhatFollowsUntilItIsSkipped() throws Exception {
        add("charge", "ship");
        receiver.answer("charge", DeliveryResult.refused("no such account"));
        OutboxRelay relay = relay(1, THRICE);
        drain(relay);

        assertThat(outbox.skip("charge", OPERATOR)).isTrue();
        drain(relay);

        assertThat(receiver.effects).containsExactly("ship");
        assertState("charge", OutboxState.SKIPPED);
        assertThat(outbox.retry("charge", OPERATOR)).isFalse();
        assertThat(outbox.skip("unknown", OPERATOR)).isFalse();
    }

    @Test
    void holdsNobodyUpIfThatIsTheChoice() throws Exception {
        add("charge", "ship");
        receiver.answer("charge", DeliveryResult.refused("no such account"));

        drain(relay(1, THRICE.withDeadMessages(DeadMessagePolicy.CONTINUE)));

        assertThat(receiver.effects).containsExactly("ship");
        assertState("charge", OutboxState.DEAD);
    }

    @Test
    void countsAsDeliveredIfItIsSkippedWhileItIsDelivered() throws Exception {
        add("charge");
        receiver.afterwards(
                "charge", () -> assertThat(outbox.skip("charge", OPERATOR)).isTrue());

        drain(relay(1, THRICE));

        assertState("charge", OutboxState.DELIVERED);
    }

    @Test
    void staysSkippedIfTheDeliveryFailsMeanwhile() throws Exception {
        add("charge");
        OutboxRelay relay = relay(1, THRICE, attempt -> {
            outbox.skip("charge", OPERATOR);
            return DeliveryResult.tryAgain("no answer");
        });

        drain(relay);

        assertState("charge", OutboxState.SKIPPED);
    }

    @Test
    void isCompensatedAndThenHoldsNobodyUp() throws Exception {
        add("charge", "ship");
        receiver.answer("charge", DeliveryResult.refused("card expired"));
        List<String> compensated = new ArrayList<>();

        drain(relay(
                1,
                THRICE.withCompensation(
                        (message, reason) -> compensated.add(message.idempotencyKey() + " was " + reason))));

        assertThat(compensated).containsExactly("charge was refused: card expired");
        assertState("charge", OutboxState.COMPENSATED);
        assertThat(receiver.effects).containsExactly("ship");
        assertThat(outbox.retry("charge", OPERATOR)).isFalse();
    }

    @Test
    void isCompensatedAfterItsLastAttemptToo() throws Exception {
        add("charge");
        receiver.answer("charge", DeliveryResult.tryAgain("busy"));
        List<String> compensated = new ArrayList<>();
        OutboxRelay relay =
                relay(1, THRICE.withCompensation((message, reason) -> compensated.add(message.idempotencyKey())));

        roundsUntil(relay, "charge", OutboxState.COMPENSATED);

        assertThat(compensated).containsExactly("charge");
        assertThat(entry("charge").attempts()).isEqualTo(3);
        assertThat(entry("charge").compensations()).isEqualTo(1);
    }

    @Test
    void mayHaveItsSuccessorsSkippedByTheCompensation() throws Exception {
        add("charge", "ship");
        receiver.answer("charge", DeliveryResult.refused("card expired"));

        drain(relay(1, THRICE.withCompensation((message, reason) -> outbox.skip("ship", OPERATOR))));

        assertState("ship", OutboxState.SKIPPED);
        assertThat(receiver.effects).isEmpty();
    }

    @Test
    void isCompensatedAgainIfTheCompensationFailsAndDeadInTheEnd() throws Exception {
        add("charge");
        receiver.answer("charge", DeliveryResult.refused("card expired"));
        List<String> compensated = new ArrayList<>();
        OutboxRelay relay = relay(1, THRICE.withCompensation((message, reason) -> {
            compensated.add(reason);
            throw new IllegalStateException("the shop is closed");
        }));

        roundsUntil(relay, "charge", OutboxState.DEAD);

        assertThat(compensated)
                .containsExactly("refused: card expired", "refused: card expired", "refused: card expired");
        assertThat(entry("charge").lastError()).contains("card expired").contains("the shop is closed");
        assertThat(receiver.heard).hasSize(1);
    }

    @Test
    void isGivenUpIfItsDeliveryEndsTheProcessAgainAndAgain() throws Exception {
        add("charge");
        receiver.afterwards("charge", () -> {
            throw new OutOfMemoryError("the message is too large");
        });
        for (int token = 1; token <= 3; token++) {
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(relay(token, THRICE)::round);
        }

        drain(relay(4, THRICE));

        assertState("charge", OutboxState.DEAD);
        assertThat(receiver.heard).hasSize(3);
        assertThat(entry("charge").lastError()).startsWith("given up after 3 attempts");
    }

    @Test
    void isPurgedWhenItIsSettledForLong() throws Exception {
        add("delivered", "dead", "waits");
        receiver.answer("dead", DeliveryResult.refused("no"));
        drain(relay(1, THRICE));

        assertThat(outbox.purge(Duration.ofHours(1))).isZero();
        await().until(() -> outbox.purge(Duration.ZERO) == 1);

        assertThat(outbox.find("delivered")).isEmpty();
        assertState("dead", OutboxState.DEAD);
        assertState("waits", OutboxState.PENDING);
        assertThatIllegalArgumentException().isThrownBy(() -> outbox.purge(Duration.ofSeconds(-1)));
    }

    @Test
    void hasItsErrorCut() throws Exception {
        add("charge");
        receiver.answer("charge", DeliveryResult.refused("x\0".repeat(5_000)));

        drain(relay(1, THRICE));

        assertThat(entry("charge").lastError()).hasSize(2_000);
    }
}
