package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.BaseRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.MessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

class AllFactoriesTest {

    /** Retries that came first would repeat what is refused. */
    @Test
    void factoriesOfEachKindGetTheAdviceBeforeTheirOther() {
        FencedMessageAdvice advice =
                FencedMessageAdvice.by(JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42");
        MethodInterceptor other = MethodInvocation::proceed;
        for (AbstractRabbitListenerContainerFactory<?> factory : List.of(
                new SimpleRabbitListenerContainerFactory(),
                new DirectRabbitListenerContainerFactory(),
                (AbstractRabbitListenerContainerFactory<?>) proxyOf(new SimpleRabbitListenerContainerFactory()))) {
            factory.setAdviceChain(other);

            FencedMessageAdvice.forAllFactories(() -> advice).postProcessAfterInitialization(factory, "factory");

            assertThat(factory.getAdviceChain()).containsExactly(advice, other);
        }
    }

    /** As an aspect of the application's makes it. */
    private static Object proxyOf(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        return factory.getProxy();
    }

    /** As those of streams and of AMQP 1.0, which call listeners in other ways. */
    @Test
    void factoriesOfOtherContainersAreRefused() {
        BeanPostProcessor all = FencedMessageAdvice.forAllFactories(() -> {
            throw new AssertionError();
        });

        assertThatThrownBy(() -> all.postProcessAfterInitialization(new OfStreams(), "mine"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'mine' would not be guarded");
    }

    @SuppressWarnings("removal") // what the factories of Spring AMQP 3 ask for
    private abstract static class StreamContainer implements MessageListenerContainer {}

    private static final class OfStreams extends BaseRabbitListenerContainerFactory<StreamContainer> {
        @Override
        public StreamContainer createListenerContainer(@Nullable RabbitListenerEndpoint endpoint) {
            throw new AssertionError();
        }
    }
}
