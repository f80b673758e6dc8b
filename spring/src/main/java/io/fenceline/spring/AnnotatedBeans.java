package io.fenceline.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Checks all beans that have annotated methods, once all singletons are there. */
final class AnnotatedBeans {

    private AnnotatedBeans() {}

    /**
     * Gives each annotated method to a check, and refuses beans that the advisor does not intercept: those that were created before
     * the auto-proxy creator was.
     *
     * @throws IllegalStateException if a bean is not intercepted
     */
    static void check(
            ConfigurableListableBeanFactory beans,
            Class<? extends Annotation> annotation,
            Advisor advisor,
            Consumer<Method> check) {
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            Set<Method> methods = type == null ? Set.of() : LockedMethods.annotated(type, annotation);
            methods.forEach(check);
            if (!methods.isEmpty() && beans.containsSingleton(name)) {
                Object bean = beans.getSingleton(name);
                boolean intercepted = bean instanceof Advised advised
                        && Arrays.asList(advised.getAdvisors()).contains(advisor);
                if (!intercepted && !(bean instanceof FactoryBean)) {
                    throw LockedMethods.refuse(
                            methods.iterator().next(),
                            annotation,
                            "bean '" + name
                                    + "' has no proxy that intercepts it. It is created too early, for instance as a"
                                    + " dependency of a BeanPostProcessor, or there is no auto-proxy creator"
                                    + ", such as that of @EnableTransactionManagement");
                }
            }
        }
    }
}
