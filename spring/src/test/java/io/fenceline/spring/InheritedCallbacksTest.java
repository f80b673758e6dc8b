package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Locks;
import io.fenceline.spring.payments.PaymentCache;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** Annotated methods that override others, which the container calls or seems to. */
class InheritedCallbacksTest {

    static class Made {
        @PostConstruct
        Object method() {
            return "";
        }
    }

    static class OfAClass extends Made {
        @Override
        @Locked("k")
        String method() {
            return "";
        }
    }

    abstract static class GivenUp {
        @PreDestroy
        protected abstract void method();
    }

    static class OfAnAbstractClass extends GivenUp {
        @Override
        @LeaderOnly("g")
        protected void method() {}
    }

    static class LockedWhenMade {
        @PostConstruct
        @Locked("k")
        void method() {}
    }

    static class OfALockedMethod extends LockedWhenMade {
        @Override
        void method() {}
    }

    interface MadeByDefault {
        @PostConstruct
        default void method() {}
    }

    static class OfADefaultMethod implements MadeByDefault {
        @Override
        @Locked("k")
        public void method() {}
    }

    static class BesideADefaultMethod {
        @Locked("k")
        public void method() {}
    }

    static class InsteadOfADefaultMethod extends BesideADefaultMethod implements MadeByDefault {}

    @ParameterizedTest
    @ValueSource(
            classes = {
                OfAClass.class,
                OfAnAbstractClass.class,
                OfALockedMethod.class,
                OfADefaultMethod.class,
                InsteadOfADefaultMethod.class
            })
    void refusesThoseThatTheContainerCalls(Class<?> bean) {
        assertThatThrownBy(() -> LockedMethods.check(bean))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("method() cannot work: the container calls it on the bean itself");
        assertThatThrownBy(() -> LockedMethodsTest.start(bean).close())
                .hasStackTraceContaining("method() cannot work: the container calls it on the bean itself");
    }

    interface Declared {
        @PostConstruct
        void method();
    }

    static class OfADeclaration implements Declared {
        @Override
        @Locked("k")
        public void method() {
            throw new AssertionError("called");
        }
    }

    static class MadeInPrivate {
        @PostConstruct
        private void method() {}
    }

    static class BesideAPrivateMethod extends MadeInPrivate {
        @Locked("k")
        void method() {
            throw new AssertionError("called");
        }
    }

    static class BesideAMethodOfAnotherPackage extends PaymentCache {
        @Locked("k")
        public void method() {
            throw new AssertionError("called");
        }
    }

    static class BesideAMethodWithoutParameters extends Made {
        @Locked("k")
        void method(String name) {}
    }

    static class Injected {
        @Autowired
        public void method(Locks locks) {}

        @Resource
        public void setLocks(Locks locks) {}
    }

    static class OfAnInjectedMethod extends Injected {
        @Override
        @Locked("k")
        public void method(Locks locks) {
            throw new AssertionError("called");
        }

        @Override
        @Locked("k")
        public void setLocks(Locks locks) {
            throw new AssertionError("called");
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OfADeclaration.class,
                BesideAPrivateMethod.class,
                BesideAMethodOfAnotherPackage.class,
                BesideAMethodWithoutParameters.class,
                OfAnInjectedMethod.class
            })
    void acceptsThoseThatItDoesNotCall(Class<?> bean) {
        assertThatCode(() -> LockedMethodsTest.start(bean).close()).doesNotThrowAnyException();
    }
}
