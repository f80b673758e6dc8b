package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.http.FenceFilter;
import io.fenceline.http.FencedEndpoints;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.boot.FencelineProperties;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Requires stamps on the requests that the properties name. */
@AutoConfiguration(after = FencelineGuardAutoConfiguration.class)
@ConditionalOnClass({FenceFilter.class, Filter.class, FilterRegistrationBean.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "fenceline.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FencelineProperties.class)
class FencelineHttpAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(value = FenceFilter.class, parameterizedContainer = FilterRegistrationBean.class)
    FilterRegistrationBean<FenceFilter> fencelineFilter(
            FencelineProperties properties, ObjectProvider<JdbcFenceGuard> guard) {
        FencedEndpoints endpoints =
                FencedEndpoints.defaults().under(properties.http().paths().toArray(String[]::new));
        FenceFilter filter = FenceFilter.forGuardedHandlers(endpoints);
        JdbcFenceGuard found = guard.getIfUnique();
        FilterRegistrationBean<FenceFilter> registration =
                new FilterRegistrationBean<>(found == null ? filter : filter.withClaims(found));
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.setEnabled(!properties.http().paths().isEmpty());
        return registration;
    }
}
