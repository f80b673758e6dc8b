package io.fenceline.spring.boot.actuate;

import io.fenceline.Locks;
import io.fenceline.spi.LockBackend;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.telemetry.KeyView;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the endpoint {@code fenceline} where it is exposed. */
@AutoConfiguration(afterName = "io.fenceline.spring.boot.autoconfigure.FencelineAutoConfiguration")
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean({Locks.class, LockBackend.class})
@ConditionalOnAvailableEndpoint(FencelineEndpoint.class)
class FencelineEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    FencelineEndpoint fencelineEndpoint(
            LockBackend backend, Locks locks, KeyView keys, FencelineProperties properties) {
        return new FencelineEndpoint(
                backend, locks, keys, properties.elections().keySet());
    }
}
