package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.core.Message;
import org.springframework.aop.framework.ProxyFactory;

class FailedOutcomeTest {

    /** Rejected, it would be gone, although nobody kept it. */
    @Test
    void aMessageThatCouldNotBeKeptIsNotRejected() {
        IllegalStateException full = new IllegalStateException("the other queue is full");
        ProxyFactory advised = new ProxyFactory((BiConsumer<Object, Message>) (channel, message) -> {
            throw new AssertionError("the listener was called");
        });
        advised.addAdvice(FencedMessageAdvice.by(
                JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42", (message, why) -> {
                    throw full;
                }));
        @SuppressWarnings("unchecked") // a proxy of that interface
        BiConsumer<Object, Message> container = (BiConsumer<Object, Message>) advised.getProxy();

        assertThatThrownBy(() -> container.accept("channel", new Message(new byte[0])))
                .isSameAs(full);
    }
}
