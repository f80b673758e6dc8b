package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.core.BatchMessageListener;
import org.springframework.aop.framework.ProxyFactory;

class BatchListenerTest {

    @Test
    void aBatchIsRefused() {
        ProxyFactory advised = new ProxyFactory((BatchMessageListener) messages -> {
            throw new AssertionError("the listener was called");
        });
        advised.addAdvice(FencedMessageAdvice.by(JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42"));
        BatchMessageListener listener = (BatchMessageListener) advised.getProxy();

        assertThatThrownBy(() -> listener.onMessageBatch(List.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a batch has no single stamp");
    }
}
