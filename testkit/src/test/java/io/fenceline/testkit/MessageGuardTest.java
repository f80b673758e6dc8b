package io.fenceline.testkit;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.FencedConsumer;
import io.fenceline.guard.GuardedStep;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.telemetry.LockListener;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Every write is a message, and what handles it is all that touches the data. */
class MessageGuardTest extends FenceGuardContract {

    @Override
    protected GuardFixture newFixture() {
        return new MessageFixture();
    }

    /** What a broker delivers. Without a text it asks for a delete. */
    private record Message(Map<String, String> headers, String resource, Optional<String> text) {}

    private static final class MessageFixture implements GuardFixture {

        private final Map<String, String> texts = new ConcurrentHashMap<>();
        private final Map<FenceRule, MemoryFenceGuard> guards = new ConcurrentHashMap<>();

        @Override
        public GuardedData open(FenceRule rule, LockListener... listeners) {
            MemoryFenceGuard guard = guards.computeIfAbsent(rule, wanted -> new MemoryFenceGuard(wanted, listeners));
            return new MessageData(
                    guard,
                    FencedConsumer.of(
                            message -> FenceHeaders.read(message.headers()),
                            Message::resource,
                            GuardedStep.in(guard),
                            (message, stamp) -> handle(message)),
                    texts);
        }

        private void handle(Message message) {
            message.text()
                    .ifPresentOrElse(
                            text -> texts.put(message.resource(), text), () -> texts.remove(message.resource()));
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

    private record MessageData(
            FenceGuard guard, FencedConsumer<Message, FenceStamp> consumer, Map<String, String> texts)
            implements GuardedData {

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            deliver(new Message(FenceHeaders.of(stamp), resource, Optional.of(value)));
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            deliver(new Message(FenceHeaders.of(stamp), resource, Optional.empty()));
        }

        private void deliver(Message message) {
            try {
                consumer.accept(message);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Optional<String> read(String resource) {
            return Optional.ofNullable(texts.get(resource));
        }
    }
}
