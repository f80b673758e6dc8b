package io.fenceline.jdbc.outbox;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A third party that remembers keys: what it gets twice has one effect. Answers as it is told to. */
final class Receiver implements Delivery {

    /** Every attempt, as {@code key} of the message. */
    final List<String> heard = new CopyOnWriteArrayList<>();

    /** The first arrival of each message, as its text. */
    final List<String> effects = new CopyOnWriteArrayList<>();

    final List<DeliveryAttempt> attempts = new CopyOnWriteArrayList<>();

    private final Map<String, Function<DeliveryAttempt, DeliveryResult>> answers = new ConcurrentHashMap<>();
    private final Map<String, Boolean> keys = new ConcurrentHashMap<>();

    /** Has the attempts for a key answered so, without an effect, from now on. */
    void answer(String key, DeliveryResult result) {
        answers.put(key, attempt -> result);
    }

    /** Does something after the effect of a message, before the relay gets its answer. */
    void afterwards(String key, Runnable act) {
        answers.put(key, attempt -> {
            accept(attempt.message());
            act.run();
            return DeliveryResult.delivered();
        });
    }

    /** Accepts what comes with a key from now on. */
    void accept(String key) {
        answers.remove(key);
    }

    @Override
    public DeliveryResult deliver(DeliveryAttempt attempt) {
        heard.add(attempt.message().idempotencyKey());
        attempts.add(attempt);
        return answers.getOrDefault(attempt.message().idempotencyKey(), this::accepted)
                .apply(attempt);
    }

    private DeliveryResult accepted(DeliveryAttempt attempt) {
        accept(attempt.message());
        return DeliveryResult.delivered();
    }

    private synchronized void accept(OutboxMessage message) {
        if (keys.putIfAbsent(message.idempotencyKey(), true) == null) {
            effects.add(message.text());
        }
    }
}
