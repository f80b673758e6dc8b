package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** Methods that cannot work are refused by name, by the check and when an application starts. */
class LockedMethodsTest {

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(ImpossibleMethods.Private.class, "private, static or final"),
                Arguments.of(ImpossibleMethods.Final.class, "private, static or final"),
                Arguments.of(ImpossibleMethods.Static.class, "private, static or final"),
                Arguments.of(ImpossibleMethods.WhenMade.class, "past the proxy"),
                Arguments.of(ImpossibleMethods.WhenGivenUp.class, "past the proxy"),
                Arguments.of(ImpossibleMethods.WhenInjected.class, "past the proxy"),
                Arguments.of(ImpossibleMethods.WhenGivenAValue.class, "past the proxy"),
                Arguments.of(ImpossibleMethods.WhenGivenAResource.class, "past the proxy"),
                Arguments.of(ImpossibleMethods.AfterATransaction.class, "annotate it with @Async"),
                Arguments.of(ImpossibleMethods.AfterARollback.class, "annotate it with @Async"),
                Arguments.of(ImpossibleMethods.AfterACompletion.class, "annotate it with @Async"),
                Arguments.of(ImpossibleMethods.AfterATransactionOrWithoutOne.class, "annotate it with @Async"),
                Arguments.of(ImpossibleMethods.OfFuture.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfPublisher.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfCallable.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfStream.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfSupplier.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfFutures.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfFuturesInArrays.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.OfStageOfPublisher.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.SkippedNumber.class, "return nothing or an Optional"),
                Arguments.of(ImpossibleMethods.SkippedStage.class, "return nothing or an Optional"),
                Arguments.of(ImpossibleMethods.WithoutKey.class, "is empty"),
                Arguments.of(ImpossibleMethods.MisspeltParameter.class, "#idd, which is no parameter"),
                Arguments.of(ImpossibleMethods.OutsideOfAnExpression.class, "write #{#id}"),
                Arguments.of(ImpossibleMethods.WithoutSign.class, "names id without '#': write #{#id + 1}"),
                Arguments.of(ImpossibleMethods.InBracesOnly.class, "has {id} outside of an expression: write #{#id}"),
                Arguments.of(
                        ImpossibleMethods.PropertyInBraces.class,
                        "has {id.value} outside of an expression: write #{#id.value}"),
                Arguments.of(
                        ImpossibleMethods.PropertyOutside.class,
                        "has #id.value outside of an expression: write #{#id.value}"),
                Arguments.of(ImpossibleMethods.Malformed.class, "cannot be parsed"),
                Arguments.of(ImpossibleMethods.MisspeltFence.class, "#idd, which is no parameter"),
                Arguments.of(ImpossibleMethods.LeaderOfFuture.class, "before its work is done"),
                Arguments.of(ImpossibleMethods.LeaderOfNumber.class, "return nothing or an Optional"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesByName(Class<?> bean, String why) {
        assertThatThrownBy(() -> LockedMethods.check(bean))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(bean.getName() + ".method(")
                .hasMessageContaining(why);
    }

    @Test
    void aListenerOfTransactionsIsLockedBeforeACommitOrOnAnotherThread() {
        LockedMethods.check(TransactionListeners.class);
        LockedMethods.check(TransactionListenersElsewhere.class);
    }

    @Test
    void refusesCallbacksOfTheContainer() {
        assertThatThrownBy(() -> LockedMethods.check(ImpossibleMethods.WhenItsPropertiesAreSet.class))
                .hasMessageContaining("afterPropertiesSet() cannot work: the container calls it");
        assertThatThrownBy(() -> LockedMethods.check(ImpossibleMethods.WhenItIsDisposedOf.class))
                .hasMessageContaining("destroy() cannot work: the container calls it");
    }

    @ParameterizedTest
    @MethodSource("refused")
    void failsTheStart(Class<?> bean, String why) {
        assertThatThrownBy(() -> start(bean).close()).hasStackTraceContaining(bean.getName() + ".method(");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "order:{id.trim()}         | #{#id.trim()}",
                "order:{id['a']}           | #{#id['a']}",
                "order:#id?.length()       | #{#id?.length()}",
                "order:#id.chars[0].name   | #{#id.chars[0].name}",
                "order:#id.getBytes()/1    | #{#id.getBytes()}",
                "order:#{hidden}           | #{#hidden}"
            })
    void namesTheWholeExpressionToWrite(String template, String cure) throws NoSuchMethodException {
        Method method = WithHiddenField.class.getDeclaredMethod("method", String.class, String.class);
        assertThatThrownBy(() -> new KeyTemplate(template, method)).hasMessageEndingWith("write " + cure);
    }

    /** Its field is no property, since it is not public. */
    private static final class WithHiddenField {

        private String hidden;

        void method(String id, String hidden) {
            this.hidden = id + hidden;
        }
    }

    @Test
    void asksForTheNamesOfParameters() throws NoSuchMethodException {
        Method withoutNames = String.class.getMethod("concat", String.class);

        assertThatThrownBy(() -> new KeyTemplate("invoice:#{#str}", withoutNames))
                .hasMessageContaining("compile with -parameters, or write #p0");
        assertThatThrownBy(() -> new KeyTemplate("'invoice:' + #str", withoutNames))
                .hasMessageContaining("outside of an expression");
        assertThat(new KeyTemplate("invoice:#{#p0}", withoutNames)
                        .evaluate("", new Object[] {"x"}, new StaticListableBeanFactory()))
                .isEqualTo("invoice:x");
    }

    static class NoUnit {
        @Locked(key = "k", ttl = "30")
        void method() {}
    }

    static class NoBean {
        @Locked(key = "k", locks = "others")
        void method() {}
    }

    static class NoFences {
        @Locked(key = "k", fences = "table")
        void method() {}
    }

    static class NoGroup {
        @LeaderOnly("billing")
        void method() {}
    }

    @Test
    void failsTheStartForValuesThatCannotBeUsed() {
        assertThatThrownBy(() -> start(NoUnit.class)).hasStackTraceContaining("ttl is '30', it must be a duration");
        assertThatThrownBy(() -> start(NoBean.class))
                .hasStackTraceContaining(
                        "NoBean.method() cannot work: its locks cannot be used: No bean named 'others'");
        assertThatThrownBy(() -> start(NoFences.class)).hasStackTraceContaining("there are no TransactionFences");
        assertThatThrownBy(() -> start(NoGroup.class)).hasStackTraceContaining("no election of group 'billing'");
    }

    @Test
    void anExpressionThatFailsIsToldWithItsMethod() throws NoSuchMethodException {
        Method method = Working.class.getDeclaredMethod("stage", int.class, int.class, String.class);
        KeyTemplate template = new KeyTemplate("k:#{#third.length()}:#{colour}", method);

        assertThatThrownBy(() ->
                        template.evaluate(new Working(), new Object[] {1, 2, "x"}, new StaticListableBeanFactory()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'k:#{#third.length()}:#{colour}' of " + Working.class.getName() + ".stage(")
                .hasMessageContaining("colour failed: ");
    }

    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Locked("k")
    @interface LockedClass {}

    @LockedClass
    static class LockedAsAWhole {
        void method() {}
    }

    @Test
    void failsTheStartForAClassThatIsAnnotated() {
        assertThatThrownBy(() -> start(LockedAsAWhole.class))
                .hasStackTraceContaining("@Locked on " + LockedAsAWhole.class.getName() + " cannot work");
        assertThatThrownBy(() -> LockedMethods.check(LockedAsAWhole.class)).hasMessageContaining("annotate each");
    }

    static class Unnoticed {
        @Locked("k")
        void method() {}
    }

    @Test
    void failsTheStartForABeanWithoutAProxy() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(WithoutProxies.class, Unnoticed.class);

        assertThatThrownBy(context::refresh).hasStackTraceContaining("bean 'lockedMethodsTest.Unnoticed' has no proxy");

        AnnotationConfigApplicationContext lazy = new AnnotationConfigApplicationContext();
        lazy.register(WithoutProxies.class);
        lazy.registerBean("later", Unnoticed.class, definition -> definition.setLazyInit(true));

        assertThatThrownBy(lazy::refresh).hasStackTraceContaining("bean 'later' has no proxy");
    }

    static class NotInItsInterface implements UnaryOperator<Long> {

        @Override
        @Locked("k")
        public Long apply(Long value) {
            return value;
        }

        @Locked("k")
        public void method() {}
    }

    static class InItsInterface implements UnaryOperator<Long> {

        @Override
        @Locked("k")
        public Long apply(Long value) {
            return value;
        }
    }

    @Test
    void failsTheStartForAMethodThatAProxyOfInterfacesDoesNotHave() {
        assertThatThrownBy(() -> startWithInterfaces(NotInItsInterface.class))
                .hasStackTraceContaining("NotInItsInterface.method() cannot work: the proxy of bean");
        startWithInterfaces(InItsInterface.class).close();
    }

    private static AnnotationConfigApplicationContext startWithInterfaces(Class<?> bean) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(WithoutProxies.class, DefaultAdvisorAutoProxyCreator.class, bean);
        context.refresh();
        return context;
    }

    static class Working {
        @Locked("k")
        void method() {}

        @Locked("k:#{#p0}:#{#a1}:#{#third.length()}")
        CompletableFuture<Void> stage(int first, int second, String third) {
            return CompletableFuture.completedFuture(null);
        }

        @Locked(key = "k", onUnavailable = OnUnavailable.SKIP)
        Optional<String> optional() {
            return Optional.of("");
        }

        @Locked("k")
        <T extends Comparable<T>> Map<T, List<? super T>> generic() {
            return Map.of();
        }

        @LeaderOnly(value = "g", otherwise = OnUnavailable.THROW)
        int leader() {
            return 0;
        }

        void other() {}
    }

    @Test
    void acceptsTheRest() {
        LockedMethods.check(Working.class);
        LockedMethods.check(Object.class);
        assertThat(LockedMethods.annotated(Working.class, Locked.class)).hasSize(4);
    }

    static AnnotationConfigApplicationContext start(Class<?> bean) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(WithProxies.class, bean);
        context.refresh();
        return context;
    }

    @Configuration
    static class WithoutProxies {

        @Bean
        static LockedAdvisor lockedAdvisor(ConfigurableListableBeanFactory beans) {
            return new LockedAdvisor(LockedAdvisor.ORDER, beans);
        }

        @Bean
        static LeaderOnlyAdvisor leaderOnlyAdvisor(ConfigurableListableBeanFactory beans) {
            return new LeaderOnlyAdvisor(LockedAdvisor.ORDER, beans);
        }

        @Bean
        Locks locks() {
            return Locks.over(new MemoryLockBackend());
        }

        @Bean
        LockTemplate lockTemplate(Locks locks) {
            return LockTemplate.of(locks);
        }
    }

    @Configuration
    @Import(AutoProxies.class)
    static class WithProxies extends WithoutProxies {}

    static class TransactionListeners {
        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        @Locked("k")
        void before(String event) {}

        @Async
        @TransactionalEventListener
        @Locked("k")
        void elsewhere(String event) {}
    }

    @Async
    static class TransactionListenersElsewhere {
        @TransactionalEventListener
        @Locked("k")
        void elsewhere(String event) {}
    }
}
