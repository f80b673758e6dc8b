package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** At least once, and in order for each resource. */
abstract class DeliveringContract extends OutboxVocabulary {

    private static final RelayOptions OPTIONS = RelayOptions.defaults().withAttempts(10, AT_ONCE);

    /** Stands in for the end of the process: nothing of the relay's own runs after it. */
    private static final class Crash extends VirtualMachineError {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void deliversInOrder() throws Exception {
        for (int i = 1; i <= 5; i++) {
            charge("order:1", 7, "step " + i);
        }

        drain(relay(1, RelayOptions.defaults().withBatchSize(2)));

        assertThat(receiver.effects).containsExactly("step 1", "step 2", "step 3", "step 4", "step 5");
        assertThat(receiver.heard).hasSize(5);
        assertState("step 5", OutboxState.DELIVERED);
        assertThat(outbox.progress().isDone()).isTrue();
        assertThat(outbox.progress().oldest()).isEmpty();
    }

    @Test
    void keepsNoMoreInMemoryThanOneMessageAboveALimit() throws Exception {
        for (int i = 1; i <= 3; i++) {
            String key = "large " + i;
            guard.<Boolean, RuntimeException>call(
                    "order:1",
                    stamp("order:1", 7),
                    connection -> outbox.add(
                            connection,
                            OutboxMessage.of("order:1", stamp("order:1", 7), key, "gateway", new byte[9 << 20])));
        }
        List<String> heard = new ArrayList<>();
        OutboxRelay relay = relay(1, OPTIONS, attempt -> {
            heard.add(attempt.message().idempotencyKey());
            return DeliveryResult.delivered();
        });

        assertThat(outbox.ready(100, DeadMessagePolicy.WAIT)).hasSize(2);
        drain(relay);

        assertThat(heard).containsExactly("large 1", "large 2", "large 3");
    }

    @Test
    void tellsTheReceiverWhichRelayDeliversAndHowOftenItTried() throws Exception {
        charge("order:1", 7, "charge");
        receiver.answer("charge", DeliveryResult.tryAgain("busy"));
        OutboxRelay relay = relay(33, OPTIONS);
        relay.round();
        receiver.accept("charge");
        await().until(relay::round);

        assertThat(receiver.attempts).extracting(DeliveryAttempt::number).containsExactly(1, 2);
        assertThat(receiver.attempts).extracting(DeliveryAttempt::relay).containsOnly(stamp("relay", 33));
        assertThat(entry("charge").attempts()).isEqualTo(2);
    }

    @Test
    void letsAMessageWaitForItsPredecessorAndOtherResourcesGoOn() throws Exception {
        charge("order:1", 7, "first of 1");
        charge("order:1", 7, "second of 1");
        charge("order:2", 7, "first of 2");
        charge("order:2", 7, "second of 2");
        receiver.answer("first of 1", DeliveryResult.tryAgain("the gateway is busy"));
        OutboxRelay relay = relay(1, RelayOptions.defaults().withAttempts(10, MUCH_LATER));

        drain(relay);

        assertThat(receiver.effects).containsExactly("first of 2", "second of 2");
        assertThat(receiver.heard).containsOnlyOnce("first of 1").doesNotContain("second of 1");
        assertThat(entry("first of 1").lastError()).isEqualTo("the gateway is busy");
        assertThat(entry("first of 1").nextAttemptAt())
                .isAfter(entry("first of 1").addedAt().plus(Duration.ofMinutes(50)));

        receiver.accept("first of 1");
        assertThat(outbox.retry("first of 1", OPERATOR)).isTrue();
        drain(relay);
        assertThat(receiver.effects).containsExactly("first of 2", "second of 2", "first of 1", "second of 1");
    }

    @Test
    void triesAgainAfterAPauseAndAfterAnException() throws Exception {
        charge("order:1", 7, "charge");
        List<Integer> tried = new ArrayList<>();
        OutboxRelay relay = relay(1, OPTIONS, attempt -> {
            tried.add(attempt.number());
            if (attempt.number() < 4) {
                throw new IllegalStateException("connection reset");
            }
            return DeliveryResult.delivered();
        });

        await().until(() -> {
            relay.round();
            return outbox.progress().isDone();
        });

        assertThat(tried).containsExactly(1, 2, 3, 4);
        assertState("charge", OutboxState.DELIVERED);
        assertThat(entry("charge").lastError()).isEmpty();
    }

    /** What a delivery does wrong is its message's, and no other resource waits for it. */
    @Test
    void goesOnAfterADeliveryThatReturnsNothingOrThrowsAnError() throws Exception {
        charge("order:1", 7, "charge");
        charge("order:2", 8, "ship");
        charge("order:3", 9, "nest");
        charge("order:4", 10, "mail");
        OutboxRelay relay =
                relay(1, OPTIONS, attempt -> switch (attempt.message().idempotencyKey()) {
                    case "charge" -> throw new NoClassDefFoundError("org/example/Gateway");
                    case "ship" -> nothing();
                    case "nest" -> throw new StackOverflowError();
                    default -> DeliveryResult.delivered();
                });

        relay.round();

        assertState("mail", OutboxState.DELIVERED);
        assertState("charge", OutboxState.PENDING);
        assertThat(entry("charge").lastError()).contains("org/example/Gateway");
        assertThat(entry("ship").lastError()).contains("returned null");
        assertThat(entry("nest").lastError()).contains("StackOverflowError");
    }

    @SuppressWarnings("NullAway")
    private static DeliveryResult nothing() {
        return null;
    }

    @Test
    void deliversAgainWithTheSameKeyAfterACrashBetweenDeliveryAndMark() throws Exception {
        charge("order:1", 7, "charge");
        charge("order:1", 7, "ship");
        receiver.afterwards("charge", () -> {
            throw new Crash();
        });
        assertThatExceptionOfType(Crash.class).isThrownBy(relay(1, OPTIONS)::round);
        assertState("charge", OutboxState.PENDING);
        receiver.accept("charge");

        drain(relay(2, OPTIONS));

        assertThat(receiver.heard).containsExactly("charge", "charge", "ship");
        assertThat(receiver.effects).containsExactly("charge", "ship");
    }

    @Test
    void marksWhatWasDeliveredBeforeTheCrash() throws Exception {
        charge("order:1", 7, "charge");
        charge("order:1", 7, "ship");
        receiver.afterwards("ship", () -> {
            throw new Crash();
        });
        assertThatExceptionOfType(Crash.class).isThrownBy(relay(1, OPTIONS)::round);

        assertState("charge", OutboxState.DELIVERED);
        assertState("ship", OutboxState.PENDING);
    }

    @Test
    void addsAndDeliversInTheOrderOfTheCommitsWhileManyWriteAtOnce() throws Exception {
        int writers = 4;
        int each = 15;
        AtomicBoolean written = new AtomicBoolean();
        AtomicReference<Throwable> end = new AtomicReference<>();
        OutboxRelay relay = relay(1, RelayOptions.defaults().withBatchSize(7));
        Thread relaying = inBackground(
                () -> {
                    while (!written.get() || !outbox.progress().isDone()) {
                        relay.round();
                    }
                },
                end);

        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            threads.add(inBackground(
                    () -> {
                        for (int i = 0; i < each; i++) {
                            chargeWithNumber("order:1");
                        }
                    },
                    end));
        }
        for (Thread thread : threads) {
            thread.join(60_000);
        }
        written.set(true);
        relaying.join(60_000);

        assertThat(end.get()).isNull();
        assertThat(receiver.effects)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, writers * each)
                        .mapToObj(number -> "charge " + number)
                        .toList());
    }

    /** The number is read and written in the same transaction, so it is the order of the commits. */
    private void chargeWithNumber(String order) throws SQLException {
        guard.<Boolean, RuntimeException>call(order, stamp(order, 7), (Connection connection) -> {
            countCharge(connection, order);
            return outbox.add(connection, message(order, 7, "charge " + charges(connection, order)));
        });
    }

    @Test
    void losesAndReordersNothingWhateverFails() throws Exception {
        long seed = Long.getLong("fenceline.seed", 20_260_101);
        Random random = new Random(seed);
        Map<String, List<String>> expected = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            String order = "order:" + random.nextInt(5);
            expected.computeIfAbsent(order, unused -> new ArrayList<>()).add(order + " step " + i);
            charge(order, 7, order + " step " + i);
        }
        Delivery moody = attempt -> {
            switch (random.nextInt(8)) {
                case 0 -> throw new IllegalStateException("no connection");
                case 1 -> throw new Crash();
                case 2 -> {
                    receiver.deliver(attempt);
                    throw new Crash();
                }
                case 3 -> {
                    receiver.deliver(attempt);
                    return DeliveryResult.tryAgain("the answer was lost");
                }
                default -> {
                    return receiver.deliver(attempt);
                }
            }
        };

        RelayOptions patient = RelayOptions.defaults().withBatchSize(9).withAttempts(1_000, AT_ONCE);
        OutboxRelay relay = relay(1, patient, moody);
        for (long token = 2; !outbox.progress().isDone(); ) {
            try {
                relay.round();
            } catch (Crash crash) {
                relay = relay(token++, patient, moody);
            }
        }

        for (Map.Entry<String, List<String>> order : expected.entrySet()) {
            assertThat(receiver.effects.stream().filter(text -> text.startsWith(order.getKey() + " ")))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(order.getValue());
        }
        assertThat(receiver.heard).hasSizeGreaterThan(receiver.effects.size());
    }
}
