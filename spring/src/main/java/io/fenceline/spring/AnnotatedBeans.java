package io.fenceline.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractAdvisorAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.util.ClassUtils;

/** Checks all beans that have annotated methods, once all singletons are there. */
final class AnnotatedBeans {

    /** What replaces beans by mocks and other objects of a test, which have no proxies: {@code @MockitoBean}, {@code @TestBean}, {@code @MockBean}. */
    private static final Set<String> REPLACING = Set.of(
            "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor",
            "org.springframework.boot.test.mock.mockito.MockitoPostProcessor");

    private AnnotatedBeans() {}

    /**
     * Gives each annotated method to a check, and refuses beans that the advisor does not intercept: those that were created before
     * the auto-proxy creator was. Such beans are let through where a test replaces beans: which ones, Spring does not say.
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
            if (type != null && !methods.isEmpty()) {
                BeanDefinition definition = beans.getMergedBeanDefinition(name);
                methods.forEach(method -> checkCaller(definition, type, method, annotation));
                Object bean = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
                boolean intercepted = bean == null
                        ? hasProxyCreator(beans)
                        : isIntercepted(bean, advisor) || REPLACING.stream().anyMatch(beans::containsBean);
                if (!intercepted) {
                    throw LockedMethods.refuse(
                            methods.iterator().next(),
                            annotation,
                            "bean '" + name
                                    + "' has no proxy that intercepts it. It is created too early, for instance as a"
                                    + " dependency of a BeanPostProcessor, or there is no auto-proxy creator"
                                    + ", such as that of @EnableTransactionManagement");
                }
                if (bean != null && AopUtils.isJdkDynamicProxy(bean)) {
                    methods.forEach(method -> checkInterfaces(name, bean, type, method, annotation));
                }
            }
        }
    }

    /** Refuses methods that are called, or can be called, past the proxy of this bean. */
    private static void checkCaller(
            BeanDefinition definition, Class<?> type, Method method, Class<? extends Annotation> annotation) {
        if (isCallback(definition, type, method)) {
            throw LockedMethods.refuseCallback(method, annotation);
        }
        if (!LockedMethods.isOverridable(method, type)) {
            throw LockedMethods.refuse(
                    method,
                    annotation,
                    "a proxy of " + type.getName()
                            + ", which is in another package, cannot override it; make it protected or public");
        }
    }

    /** Returns whether the container calls the method when it has made the bean, or gives it up, as the definition says. */
    private static boolean isCallback(BeanDefinition definition, Class<?> type, Method method) {
        String name = method.getName();
        if (method.getParameterCount() > 0) {
            return name.equals(definition.getDestroyMethodName())
                    && !definition.isPrototype()
                    && isForced(type, method);
        }
        return name.equals(definition.getInitMethodName())
                || (!definition.isPrototype() && name.equals(destroyMethod(definition, type)));
    }

    /** A destroy method that is named, not inferred, may take a boolean, if there is none without parameters. */
    private static boolean isForced(Class<?> type, Method method) {
        return Arrays.equals(method.getParameterTypes(), new Class<?>[] {boolean.class})
                && method.equals(BeanUtils.findMethodWithMinimalParameters(type, method.getName()));
    }

    private static @Nullable String destroyMethod(BeanDefinition definition, Class<?> type) {
        String destroy = definition.getDestroyMethodName();
        boolean inferred = destroy == null
                ? AutoCloseable.class.isAssignableFrom(type)
                : destroy.equals(AbstractBeanDefinition.INFER_METHOD);
        if (!inferred) {
            return destroy;
        }
        if (DisposableBean.class.isAssignableFrom(type)) {
            return null;
        }
        return ClassUtils.hasMethod(type, "close") ? "close" : "shutdown";
    }

    private static boolean isIntercepted(Object bean, Advisor advisor) {
        return bean instanceof FactoryBean
                || (bean instanceof Advised advised
                        && Arrays.asList(advised.getAdvisors()).contains(advisor));
    }

    /** All that can be told of a bean that is created later, or anew for each use. */
    private static boolean hasProxyCreator(ConfigurableListableBeanFactory beans) {
        return beans.getBeanNamesForType(AbstractAdvisorAutoProxyCreator.class, true, false).length > 0;
    }

    private static void checkInterfaces(
            String name, Object proxy, Class<?> type, Method method, Class<? extends Annotation> annotation) {
        if (Arrays.stream(ClassUtils.getAllInterfaces(proxy))
                .flatMap(each -> Arrays.stream(each.getMethods()))
                .noneMatch(each -> AopUtils.getMostSpecificMethod(each, type).equals(method))) {
            throw LockedMethods.refuse(
                    method,
                    annotation,
                    "the proxy of bean '" + name + "' has only the methods of its interfaces. Declare it in one, or set"
                            + " proxyTargetClass=true");
        }
    }
}
