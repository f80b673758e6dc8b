package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.FencedConsumer;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.GuardedStep;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedMessages;
import io.fenceline.guard.StaleTokenException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FencedConsumerTest {

    private final List<String> handled = new ArrayList<>();
    private final List<String> recorded = new ArrayList<>();

    private record Message(Map<String, String> headers, String text) {

        static Message stamped(long token, String text) {
            return stamped("invoice:42", token, text);
        }

        static Message stamped(String lock, long token, String text) {
            return new Message(FenceHeaders.of(new FenceStamp(LockKey.of(lock), FencingToken.of(token))), text);
        }
    }

    @Test
    @Tag("R1")
    void givesTheHandlerWhatIsNotStale() throws Exception {
        FencedConsumer<Message, FenceStamp> consumer = consumer(FenceRule.AT_LEAST);

        assertThat(consumer.accept(Message.stamped(33, "first"))).isTrue();
        assertThat(consumer.accept(Message.stamped(34, "second"))).isTrue();
        assertThatThrownBy(() -> consumer.accept(Message.stamped(33, "stale"))).isInstanceOf(StaleTokenException.class);

        assertThat(handled).containsExactly("first under 33", "second under 34");
    }

    @Test
    @Tag("R1")
    void dropsOrRecordsStaleMessagesIfToldSo() throws Exception {
        FencedConsumer<Message, FenceStamp> dropping =
                consumer(FenceRule.AT_LEAST).whenStale(RefusedMessages.dropped());
        FencedConsumer<Message, FenceStamp> recording =
                consumer(FenceRule.AT_LEAST).whenStale(record());
        dropping.accept(Message.stamped(34, "new"));
        recording.accept(Message.stamped(34, "new"));

        assertThat(dropping.accept(Message.stamped(33, "stale"))).isFalse();
        assertThat(recorded).isEmpty();
        assertThat(recording.accept(Message.stamped(33, "stale"))).isFalse();
        assertThat(recorded).containsExactly("stale: StaleTokenException");
        assertThat(handled).doesNotContain("stale under 33");
    }

    @Test
    @Tag("R2")
    void handlesAMessageThatComesTwiceOnceIfThatIsTheRule() throws Exception {
        FencedConsumer<Message, FenceStamp> consumer = consumer(FenceRule.ONCE).whenStale(record());
        Message message = Message.stamped(34, "charge");

        assertThat(consumer.accept(message)).isTrue();
        assertThat(consumer.accept(message)).isFalse();

        assertThat(handled).containsExactly("charge under 34");
        assertThat(recorded).containsExactly("charge: StaleTokenException");
    }

    @Test
    @Tag("R2")
    void handlesAMessageAgainWhoseHandlingFailed() throws Exception {
        MemoryFenceGuard guard = new MemoryFenceGuard(FenceRule.ONCE);
        FencedConsumer<Message, FenceStamp> consumer = FencedConsumer.of(
                message -> FenceHeaders.read(message.headers()),
                message -> "invoice:42",
                GuardedStep.in(guard),
                (message, stamp) -> {
                    recorded.add(message.text());
                    if (recorded.size() == 1) {
                        throw new IOException("no route");
                    }
                });
        Message message = Message.stamped(34, "charge");

        assertThatThrownBy(() -> consumer.accept(message))
                .isInstanceOf(IOException.class)
                .hasMessage("no route");
        assertThat(consumer.accept(message)).isTrue();

        assertThat(recorded).hasSize(2);
    }

    @Test
    @Tag("R8")
    void handlesNoMessageWhoseResourceHasNoName() throws Exception {
        FencedConsumer<Message, FenceStamp> consumer = FencedConsumer.of(
                message -> FenceHeaders.read(message.headers()),
                message -> {
                    throw new IllegalArgumentException("the key is missing");
                },
                GuardedStep.in(new MemoryFenceGuard(FenceRule.AT_LEAST)),
                (message, stamp) -> handled.add(message.text()));
        Message message = Message.stamped(34, "keyless");

        assertThatThrownBy(() -> consumer.accept(message)).hasMessage("the key is missing");
        assertThat(consumer.whenMistaken(record()).accept(message)).isFalse();

        assertThat(recorded).containsExactly("keyless: IllegalArgumentException");
        assertThat(handled).isEmpty();
    }

    @Test
    @Tag("R8")
    void handlesNoMessageWithoutAStamp() throws Exception {
        Message bare = new Message(Map.of(), "bare");
        FencedConsumer<Message, FenceStamp> consumer = consumer(FenceRule.AT_LEAST);

        assertThatThrownBy(() -> consumer.accept(bare))
                .isInstanceOf(MissingTokenException.class)
                .hasMessageContaining("invoice:42")
                .hasMessageContaining("Fenceline-Token");
        assertThat(consumer.whenMissing(record()).accept(bare)).isFalse();

        assertThat(recorded).containsExactly("bare: MissingTokenException");
        assertThat(handled).isEmpty();
    }

    @Test
    @Tag("R7")
    void tellsMistakenMessagesFromStaleOnes() throws Exception {
        FencedConsumer<Message, FenceStamp> consumer =
                consumer(FenceRule.AT_LEAST).whenStale(RefusedMessages.dropped());
        Message foreign = Message.stamped("another-lock", 99, "foreign");
        Message garbled = new Message(Map.of(FenceHeaders.TOKEN, "34"), "garbled");
        consumer.accept(Message.stamped(34, "first"));

        assertThatThrownBy(() -> consumer.accept(foreign)).isInstanceOf(ForeignTokenException.class);
        assertThatThrownBy(() -> consumer.accept(garbled)).isInstanceOf(MalformedStampException.class);
        FencedConsumer<Message, FenceStamp> recording = consumer.whenMistaken(record());
        assertThat(recording.accept(foreign)).isFalse();
        assertThat(recording.accept(garbled)).isFalse();

        assertThat(recorded).containsExactly("foreign: ForeignTokenException", "garbled: MalformedStampException");
        assertThat(handled).containsExactly("first under 34");
    }

    /** The handler worked under a lease of its own, and lost it: the message is as good as before. */
    @Test
    void theRefusalOfAnotherStampIsAFailureOfTheHandler() {
        FenceStamp other = new FenceStamp(LockKey.of("ledger"), FencingToken.of(1));
        for (RuntimeException refusal : List.of(
                new StaleTokenException("ledger", other, FencingToken.of(2)),
                new ForeignTokenException("ledger", other, LockKey.of("another")))) {
            FencedConsumer<Message, FenceStamp> consumer = FencedConsumer.<Message, FenceStamp>of(
                            message -> FenceHeaders.read(message.headers()),
                            message -> "invoice:42",
                            GuardedStep.in(new MemoryFenceGuard(FenceRule.AT_LEAST)),
                            (message, stamp) -> {
                                throw refusal;
                            })
                    .whenStale(record())
                    .whenMistaken(record());

            assertThatThrownBy(() -> consumer.accept(Message.stamped(34, "good")))
                    .isSameAs(refusal);
        }
        assertThat(recorded).isEmpty();
    }

    private FencedConsumer<Message, FenceStamp> consumer(FenceRule rule) {
        return FencedConsumer.of(
                message -> FenceHeaders.read(message.headers()),
                message -> "invoice:42",
                GuardedStep.in(new MemoryFenceGuard(rule)),
                (message, stamp) ->
                        handled.add(message.text() + " under " + stamp.token().value()));
    }

    private RefusedMessages<Message> record() {
        return (message, why) ->
                recorded.add(message.text() + ": " + why.getClass().getSimpleName());
    }
}
