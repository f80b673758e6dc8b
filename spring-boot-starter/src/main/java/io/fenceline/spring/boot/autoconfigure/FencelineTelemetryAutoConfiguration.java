package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.micrometer.FencelineMetrics;
import io.fenceline.micrometer.FencelineObservations;
import io.fenceline.micrometer.Mdc;
import io.fenceline.spring.boot.FencelineProperties;
import io.fenceline.telemetry.KeyView;
import io.fenceline.telemetry.LogFields;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters and observations where the application has a registry, and log fields. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "fenceline.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FencelineProperties.class)
class FencelineTelemetryAutoConfiguration {

    /** One view for all, so that the hashes of logs, traces and the endpoint can be compared. */
    @Bean
    @ConditionalOnMissingBean
    KeyView fencelineKeyView(FencelineProperties properties) {
        return properties.telemetry().keys().view();
    }

    /** Meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({FencelineMetrics.class, MeterRegistry.class})
    @ConditionalOnBean(MeterRegistry.class)
    static class Meters {

        @Bean
        @ConditionalOnMissingBean
        FencelineMetrics fencelineMetrics(MeterRegistry registry) {
            return FencelineMetrics.bindTo(registry);
        }
    }

    /** Observations, without timers of what the meters count. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({FencelineObservations.class, ObservationRegistry.class, MeterRegistry.class})
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {

        @Bean
        @ConditionalOnMissingBean
        FencelineObservations fencelineObservations(ObservationRegistry registry, KeyView keys) {
            return FencelineObservations.on(registry, keys);
        }

        @Bean
        static MeterFilter fencelineMeterFilter() {
            return FencelineObservations.withoutTimers();
        }
    }

    /** Fields of log lines. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Mdc.class, MDC.class})
    static class Logs {

        @Bean
        @ConditionalOnMissingBean
        LogFields fencelineLogFields(KeyView keys) {
            return Mdc.fields(keys);
        }
    }
}
