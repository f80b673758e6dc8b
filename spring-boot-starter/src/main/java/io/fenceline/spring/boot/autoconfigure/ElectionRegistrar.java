package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.ElectionBuilder;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.ElectionLifecycle;
import io.fenceline.spring.boot.FencelineProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Registers a candidate for each group of {@code fenceline.elections}. */
final class ElectionRegistrar implements ImportBeanDefinitionRegistrar {

    private final Environment environment;

    ElectionRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Binder.get(environment)
                .bind("fenceline.elections", Bindable.mapOf(String.class, FencelineProperties.Group.class))
                .orElseGet(Map::of)
                .forEach((group, election) -> {
                    if (election.enabled()) {
                        RootBeanDefinition candidate = new RootBeanDefinition(ElectionRegistrar.class);
                        candidate.setFactoryMethodName("election");
                        candidate.setTargetType(ElectionLifecycle.class);
                        candidate.getConstructorArgumentValues().addIndexedArgumentValue(0, group);
                        candidate.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
                        registry.registerBeanDefinition("fencelineElection-" + group, candidate);
                    }
                });
    }

    /** Makes a candidate that has not joined yet. */
    static ElectionLifecycle election(
            String group,
            Locks locks,
            FencelineProperties properties,
            Environment environment,
            ObjectProvider<JdbcFenceGuard> guard,
            ApplicationEventPublisher events) {
        LockOptions options = FencelineAutoConfiguration.options(properties, environment);
        FencelineProperties.Group election = properties.elections().get(group);
        if (election == null || !election.enabled()) {
            throw new IllegalStateException("fenceline.elections[" + group
                    + "] is not enabled, but was when the application was processed ahead of"
                    + " time, which fixes the groups: process it with the groups that it takes part in");
        }
        Holder candidate = election.candidate() == null ? options.holder() : Holder.of(election.candidate());
        ElectionBuilder builder = Election.of(locks, group)
                .candidate(new Candidate(candidate, election.hesitation()))
                .ttl(election.ttl() == null ? options.ttl() : election.ttl());
        List<String> claims = new ArrayList<>(election.claims());
        claims.add(Election.keyOf(group).value()); // the resource of @LeaderOnly methods
        JdbcFenceGuard claiming = guard.getIfAvailable();
        if (claiming != null) {
            builder.claims(claiming, claims.toArray(String[]::new));
        } else if (claims.size() > 1) {
            throw new IllegalStateException(
                    "fenceline.elections[" + group + "].claims needs a JdbcFenceGuard, and there is"
                            + " none: it guards the application's DataSource unless fenceline.guard.enabled is false");
        }
        return new ElectionLifecycle(group, builder, events);
    }
}
