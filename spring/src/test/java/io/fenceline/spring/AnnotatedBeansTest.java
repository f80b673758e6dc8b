package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.spring.payments.PaymentJob;
import io.fenceline.spring.payments.RefundJob;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;

/** Methods that a proxy could intercept, and cannot as those of a certain bean. */
class AnnotatedBeansTest {

    static class Queue implements AutoCloseable {
        @Locked("k")
        void method() {}

        @Override
        @Locked("k")
        public void close() {}
    }

    static class Initialized {
        @Bean(initMethod = "method", destroyMethod = "")
        Queue queue() {
            return new Queue();
        }
    }

    static class Destroyed {
        @Bean(destroyMethod = "method")
        Queue queue() {
            return new Queue();
        }
    }

    static class Closed {
        @Bean
        Queue queue() {
            return new Queue();
        }
    }

    static class Kept {
        @Bean(destroyMethod = "")
        Queue queue() {
            return new Queue();
        }
    }

    static class MadeAnew {
        @Bean
        @Scope("prototype")
        Queue queue() {
            return new Queue();
        }
    }

    static class ClosedAndShutDown {
        public void close() {}

        @Locked("k")
        public void shutdown() {}
    }

    static class DisposedOf implements DisposableBean {
        @Locked("k")
        public void close() {}

        @Override
        public void destroy() {}
    }

    static class ClosedByNumber implements AutoCloseable {
        @Locked("k")
        public void close(int number) {}

        @Override
        public void close() {}
    }

    static class NeverCalled {
        @Bean
        ClosedByNumber closedByNumber() {
            return new ClosedByNumber();
        }

        @Bean
        ClosedAndShutDown closed() {
            return new ClosedAndShutDown();
        }

        @Bean
        DisposedOf disposedOf() {
            return new DisposedOf();
        }
    }

    static class ShutDown {
        @Locked("k")
        public void shutdown() {}
    }

    static class Stopped {
        @Bean
        ShutDown shutDown() {
            return new ShutDown();
        }
    }

    static class Forced {
        @Locked("k")
        public void shutdown(boolean force) {}

        /** The container prefers methods that are public. */
        void shutdown() {}
    }

    static class ForcedDown {
        @Bean(destroyMethod = "shutdown")
        Forced forced() {
            return new Forced();
        }
    }

    static class NotForced extends Forced {
        @Override
        public void shutdown() {}
    }

    static class ForcedByTheApplication {
        @Bean
        Forced forced() {
            return new Forced();
        }

        @Bean(destroyMethod = "shutdown")
        NotForced notForced() {
            return new NotForced();
        }
    }

    @Test
    void failsTheStartForADestroyMethodThatIsForced() {
        assertThatThrownBy(() -> LockedMethodsTest.start(ForcedDown.class))
                .hasStackTraceContaining("Forced.shutdown(boolean) cannot work: the container calls it");
        LockedMethodsTest.start(ForcedByTheApplication.class).close();
    }

    @Test
    void startsWithMethodsThatOnlyLookLikeThoseThatTheContainerCalls() {
        LockedMethodsTest.start(MadeAnew.class).close();
        LockedMethodsTest.start(NeverCalled.class).close();
    }

    @Test
    void failsTheStartForMethodsThatTheContainerCallsByTheDefinitionOfTheBean() {
        assertThatThrownBy(() -> LockedMethodsTest.start(Initialized.class))
                .hasStackTraceContaining("Queue.method() cannot work");
        assertThatThrownBy(() -> LockedMethodsTest.start(Destroyed.class))
                .hasStackTraceContaining("Queue.method() cannot work");
        assertThatThrownBy(() -> LockedMethodsTest.start(Closed.class))
                .hasStackTraceContaining("Queue.close() cannot work");
        assertThatThrownBy(() -> LockedMethodsTest.start(Queue.class))
                .hasStackTraceContaining("Queue.close() cannot work");
        assertThatThrownBy(() -> LockedMethodsTest.start(Stopped.class))
                .hasStackTraceContaining("ShutDown.shutdown() cannot work")
                .hasStackTraceContaining("@Bean(destroyMethod = \"\")");
        LockedMethodsTest.start(Kept.class).close();
    }

    @Test
    void failsTheStartForMethodsThatTheContainerCallsBeforeTheBeanHasAProxyOrBehindIt() {
        assertThatThrownBy(() -> LockedMethods.check(ImpossibleMethods.WhenToldItsName.class))
                .hasMessageContaining("setBeanName(String) cannot work: the container calls it");
        assertThatThrownBy(() -> LockedMethodsTest.start(ImpossibleMethods.WhenItStops.class))
                .hasStackTraceContaining("stop() cannot work: the container calls it");
    }

    interface Named extends BeanNameAware {
        void method();
    }

    static class Startable implements SmartLifecycle, Named {
        private boolean running;

        @Override
        public void setBeanName(String name) {}

        @Override
        @Locked("k")
        public void method() {}

        @Override
        @Locked("k")
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        @Locked("k")
        public void stop(Runnable callback) {
            stop();
            callback.run();
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Test
    void acceptsMethodsThatTheContainerCallsThroughTheProxy() {
        LockedMethodsTest.start(Startable.class).close();
    }

    static class ElsewhereInherited extends PaymentJob {}

    static class ElsewhereOverridable extends RefundJob {}

    @Test
    void failsTheStartForAMethodThatAProxyInAnotherPackageCannotOverride() {
        assertThatThrownBy(() -> LockedMethodsTest.start(ElsewhereInherited.class))
                .hasStackTraceContaining(
                        "PaymentJob.pay() cannot work: a proxy of " + ElsewhereInherited.class.getName());
        LockedMethodsTest.start(PaymentJob.class).close();
        LockedMethodsTest.start(ElsewhereOverridable.class).close();
    }
}
