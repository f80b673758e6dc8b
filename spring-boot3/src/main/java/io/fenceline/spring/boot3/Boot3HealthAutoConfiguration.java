package io.fenceline.spring.boot3;

import io.fenceline.Locks;
import io.fenceline.StoreHealth;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the health of the locks' store to Spring Boot 3.5. */
@AutoConfiguration(afterName = "io.fenceline.spring.boot.autoconfigure.FencelineAutoConfiguration")
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(Locks.class)
@ConditionalOnEnabledHealthIndicator("fenceline")
class Boot3HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "fencelineHealthIndicator")
    HealthIndicator fencelineHealthIndicator(Locks locks) {
        return new Boot3HealthIndicator(StoreHealth.of(locks));
    }
}
