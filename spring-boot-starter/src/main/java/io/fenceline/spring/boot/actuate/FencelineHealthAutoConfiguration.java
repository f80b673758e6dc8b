package io.fenceline.spring.boot.actuate;

import io.fenceline.Locks;
import io.fenceline.StoreHealth;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the health of the locks' store to Spring Boot 4; {@code fenceline-spring-boot3} does to Spring Boot 3.5. */
@AutoConfiguration(afterName = "io.fenceline.spring.boot.autoconfigure.FencelineAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Locks.class)
@ConditionalOnEnabledHealthIndicator("fenceline")
class FencelineHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "fencelineHealthIndicator")
    HealthIndicator fencelineHealthIndicator(Locks locks) {
        return new FencelineHealthIndicator(StoreHealth.of(locks));
    }
}
