package io.fenceline.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The rules for methods that are {@link Locked} or {@link LeaderOnly}. The advisors apply them to every bean when the application starts. */
public final class LockedMethods {

    /** Types of Spring MVC whose work is done after the method has returned. */
    private static final Set<String> LATER = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** The container calls methods that have one of these, also where the bean's class overrides them without it. */
    private static final Set<String> LIFECYCLE = Set.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "javax.annotation.PostConstruct",
            "javax.annotation.PreDestroy");

    /** The container calls methods that have one of these themselves. */
    private static final Set<String> INJECTED = Set.of(
            "jakarta.annotation.Resource",
            "jakarta.inject.Inject",
            "jakarta.persistence.PersistenceContext",
            "jakarta.persistence.PersistenceUnit",
            "javax.annotation.Resource",
            "javax.inject.Inject",
            "org.springframework.beans.factory.annotation.Autowired",
            "org.springframework.beans.factory.annotation.Value");

    private LockedMethods() {}

    /**
     * Checks all annotated methods of a class, for tests of applications. Placeholders are not resolved.
     *
     * @param bean the class of a bean
     * @throws IllegalStateException if a method cannot work; names it and says why
     */
    public static void check(Class<?> bean) {
        for (Method method : annotated(bean, Locked.class)) {
            LockedMethod.of(method, text -> text, null);
        }
        for (Method method : annotated(bean, LeaderOnly.class)) {
            checkShape(
                    method,
                    LeaderOnly.class,
                    annotation(method, LeaderOnly.class).otherwise());
        }
    }

    /**
     * Finds annotated methods.
     *
     * @throws IllegalStateException if the class itself is annotated, as an annotation of one's own allows, or a method that the container
     *     calls past the proxy
     */
    static Set<Method> annotated(Class<?> bean, Class<? extends Annotation> annotation) {
        if (AnnotatedElementUtils.hasAnnotation(bean, annotation)) {
            throw new IllegalStateException("@" + annotation.getSimpleName() + " on " + bean.getName()
                    + " cannot work: it is for methods; annotate each of them");
        }
        Set<Method> methods = AnnotationUtils.isCandidateClass(bean, annotation)
                ? MethodIntrospector.selectMethods(bean, (ReflectionUtils.MethodFilter)
                        method -> AnnotatedElementUtils.hasAnnotation(method, annotation))
                : Set.of();
        for (Method method : methods) {
            if (isCallback(bean, method)) {
                throw refuseCallback(method, annotation);
            }
        }
        return methods;
    }

    static <A extends Annotation> A annotation(Method method, Class<A> annotation) {
        A found = AnnotatedElementUtils.findMergedAnnotation(method, annotation);
        if (found == null) {
            throw new IllegalArgumentException(method + " has no @" + annotation.getSimpleName());
        }
        return found;
    }

    /** Refuses methods that a proxy cannot intercept, or that return before their work is done. */
    static void checkShape(Method method, Class<? extends Annotation> annotation, OnUnavailable onUnavailable) {
        Class<?> type = method.getReturnType();
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw refuse(method, annotation, "a private, static or final method cannot be intercepted");
        }
        if (comesAfterTransactions(method)) {
            throw refuse(
                    method,
                    annotation,
                    "it is called after a transaction, on that one's connection, and with @Transactional only inside of the lock; annotate it"
                            + " with @Async, or lock in a method of another bean that it calls under"
                            + " Propagation.NOT_SUPPORTED");
        }
        if (isSuspending(method)) {
            throw refuse(method, annotation, "a suspending function returns before its work is done");
        }
        if (isLater(ResolvableType.forMethodReturnType(method), true)) {
            throw refuse(
                    method,
                    annotation,
                    "a method that returns " + method.getGenericReturnType().getTypeName()
                            + " returns before its work is done; return a value, or a CompletionStage of one");
        }
        if (onUnavailable == OnUnavailable.SKIP && type != void.class && type != Void.class && type != Optional.class) {
            throw refuse(
                    method,
                    annotation,
                    "a call that is skipped has no result: return nothing or an Optional, or use OnUnavailable.THROW");
        }
    }

    /** Returns whether the container calls the method on the bean itself when it makes it, stops it, or gives it up. */
    private static boolean isCallback(Class<?> bean, Method method) {
        return hasAny(INJECTED, method)
                || Arrays.stream(ReflectionUtils.getAllDeclaredMethods(bean)) // with default methods of interfaces
                        .anyMatch(each -> isSameOrOverrides(method, each) && hasAny(LIFECYCLE, each))
                || overrides(bean, method, InitializingBean.class, "afterPropertiesSet")
                || overrides(bean, method, DisposableBean.class, "destroy")
                || overrides(bean, method, SmartLifecycle.class, "stop") // stop(Runnable) calls it
                || isAware(ClassUtils.getInterfaceMethodIfPossible(method, bean).getDeclaringClass());
    }

    private static boolean hasAny(Set<String> annotations, Method method) {
        return annotations.stream().anyMatch(MergedAnnotations.from(method)::isPresent);
    }

    private static boolean isSameOrOverrides(Method method, Method declared) {
        return method.equals(declared)
                || (method.getName().equals(declared.getName())
                        && Arrays.equals(method.getParameterTypes(), declared.getParameterTypes())
                        && isOverridable(declared, method.getDeclaringClass()));
    }

    /** Returns whether a class can override a method that is neither static nor final. */
    static boolean isOverridable(Method method, Class<?> by) {
        int modifiers = method.getModifiers();
        return !Modifier.isPrivate(modifiers)
                && ((modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                        || method.getDeclaringClass().getPackageName().equals(by.getPackageName()));
    }

    /** Returns whether a type has one method, by which beans are told of something before their proxies are made. */
    private static boolean isAware(Class<?> type) {
        return Aware.class.isAssignableFrom(type) && type.getMethods().length == 1;
    }

    private static boolean comesAfterTransactions(Method method) {
        TransactionalEventListener listener =
                AnnotatedElementUtils.findMergedAnnotation(method, TransactionalEventListener.class);
        return listener != null
                && listener.phase() != TransactionPhase.BEFORE_COMMIT
                && !AnnotatedElementUtils.hasAnnotation(method, Async.class)
                && !AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
    }

    private static boolean overrides(Class<?> bean, Method method, Class<?> type, String name) {
        return type.isAssignableFrom(bean) && method.getName().equals(name) && method.getParameterCount() == 0;
    }

    private static boolean isSuspending(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .anyMatch(parameter -> parameter.getName().equals("kotlin.coroutines.Continuation"));
    }

    /** Returns whether a result, or what it contains by its type, is done later than its method. A stage by itself is waited for. */
    private static boolean isLater(ResolvableType result, boolean itself) {
        if (result.isArray()) {
            return isLater(result.getComponentType(), false);
        }
        Class<?> type = result.toClass();
        if (!(itself && isStage(type)) && isLater(type)) {
            return true;
        }
        return result.getType() instanceof ParameterizedType
                && Arrays.stream(result.getGenerics()).anyMatch(part -> isLater(part, false));
    }

    private static boolean isLater(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                || Callable.class.isAssignableFrom(type)
                || (Supplier.class.isAssignableFrom(type)
                        && !Iterable.class.isAssignableFrom(type)) // as Spring Data's Page
                || BaseStream.class.isAssignableFrom(type)
                || isLaterInMvc(type);
    }

    private static boolean isLaterInMvc(@Nullable Class<?> type) {
        return type != null
                && (LATER.contains(type.getName())
                        || isLaterInMvc(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(LockedMethods::isLaterInMvc));
    }

    /**
     * Checks the result of a method whose declared type does not tell that its work goes on.
     *
     * @throws IllegalStateException if it may go on after the method
     */
    static void checkEnded(Method method, Class<? extends Annotation> annotation, @Nullable Object result) {
        boolean done = result instanceof Future<?> future && future.isDone();
        if (result != null && !done && !isStage(method.getReturnType()) && isLater(result.getClass())) {
            throw refuse(
                    method,
                    annotation,
                    "it returned a " + result.getClass().getTypeName()
                            + ", and its work may go on afterwards; return a value, or declare the result as"
                            + " CompletionStage");
        }
    }

    /** Returns whether the lock is released when the result completes. */
    static boolean isStage(Class<?> type) {
        return type == CompletionStage.class || type == CompletableFuture.class;
    }

    static IllegalStateException refuseCallback(Method method, Class<? extends Annotation> annotation) {
        return refuse(
                method,
                annotation,
                "the container calls it on the bean itself, past the proxy; use a LockTemplate in it, or call a method of"
                        + " another bean. What is only called by the application needs @Bean(destroyMethod = \"\"), or"
                        + " another name");
    }

    static IllegalStateException refuse(Method method, Class<? extends Annotation> annotation, String why) {
        return new IllegalStateException(
                "@" + annotation.getSimpleName() + " on " + nameOf(method) + " cannot work: " + why);
    }

    static String nameOf(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
