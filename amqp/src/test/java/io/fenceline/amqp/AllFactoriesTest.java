package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;

class AllFactoriesTest {

    /** Retries that came first would repeat what is refused. */
    @Test
    void factoriesOfEachKindGetTheAdviceBeforeTheirOther() {
        FencedMessageAdvice advice =
                FencedMessageAdvice.by(JdbcFenceGuard.on(new PGSimpleDataSource()), message -> "invoice/42");
        MethodInterceptor other = MethodInvocation::proceed;
        for (AbstractRabbitListenerContainerFactory<?> factory :
                List.of(new SimpleRabbitListenerContainerFactory(), new DirectRabbitListenerContainerFactory())) {
            factory.setAdviceChain(other);

            FencedMessageAdvice.forAllFactories(() -> advice).postProcessAfterInitialization(factory, "factory");

            assertThat(factory.getAdviceChain()).containsExactly(advice, other);
        }
    }
}
