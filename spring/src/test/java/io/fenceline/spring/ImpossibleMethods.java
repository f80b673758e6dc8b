package io.fenceline.spring;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** Methods that cannot work under a lock, each for a reason of its own. */
final class ImpossibleMethods {

    private ImpossibleMethods() {}

    static class Private {
        @Locked("k")
        private void method() {}
    }

    static class Final {
        @Locked("k")
        final void method() {}
    }

    static class Static {
        @Locked("k")
        static void method() {}
    }

    static class WhenMade {
        @PostConstruct
        @Locked("k")
        void method() {}
    }

    static class WhenGivenUp {
        @PreDestroy
        @LeaderOnly("g")
        void method() {}
    }

    static class WhenInjected {
        @Autowired
        @Locked("k")
        void method(ApplicationContext context) {}
    }

    static class WhenGivenAValue {
        @Value("1")
        @Locked("k")
        void method(int number) {}
    }

    static class WhenGivenAResource {
        @Resource
        @Locked("k")
        void method(ApplicationContext context) {}
    }

    static class AfterATransaction {
        @TransactionalEventListener
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @Locked("k")
        void method(String event) {}
    }

    static class AfterARollback {
        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        @Locked("k")
        void method(String event) {}
    }

    static class AfterACompletion {
        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        @LeaderOnly("g")
        void method(String event) {}
    }

    static class AfterATransactionOrWithoutOne {
        @TransactionalEventListener(fallbackExecution = true)
        @Locked("k")
        void method(String event) {}
    }

    static class WhenItsPropertiesAreSet implements InitializingBean {
        @Override
        @Locked("k")
        public void afterPropertiesSet() {}
    }

    static class WhenItIsDisposedOf implements DisposableBean {
        @Override
        @Locked("k")
        public void destroy() {}
    }

    static class WhenToldItsName implements BeanNameAware {
        @Override
        @LeaderOnly("g")
        public void setBeanName(String name) {}
    }

    static class Stoppable {
        private boolean running;

        public void start() {
            running = true;
        }

        @Locked("k")
        public void stop() {
            running = false;
        }

        public boolean isRunning() {
            return running;
        }
    }

    static class WhenItStops extends Stoppable implements SmartLifecycle {}

    static class OfFuture {
        @Locked("k")
        Future<String> method() {
            return null;
        }
    }

    static class OfPublisher {
        @Locked("k")
        Flow.Publisher<String> method() {
            return null;
        }
    }

    static class OfCallable {
        @Locked("k")
        Callable<String> method() {
            return null;
        }
    }

    static class OfStream {
        @Locked("k")
        Stream<String> method() {
            return null;
        }
    }

    static class OfSupplier {
        @Locked("k")
        Optional<Supplier<String>> method() {
            return null;
        }
    }

    static class OfFutures {
        @Locked("k")
        Map<String, ? extends CompletableFuture<Void>> method() {
            return null;
        }
    }

    static class OfFuturesInArrays {
        @Locked("k")
        List<CompletableFuture<Void>[][]> method() {
            return null;
        }
    }

    static class OfStageOfPublisher {
        @Locked("k")
        CompletionStage<Optional<Flow.Publisher<String>>> method() {
            return null;
        }
    }

    static class SkippedNumber {
        @Locked(key = "k", onUnavailable = OnUnavailable.SKIP)
        int method() {
            return 0;
        }
    }

    static class SkippedStage {
        @Locked(key = "k", onUnavailable = OnUnavailable.SKIP)
        CompletionStage<Void> method() {
            return null;
        }
    }

    static class WithoutKey {
        @Locked
        void method() {}
    }

    static class MisspeltParameter {
        @Locked("invoice:#{#idd}")
        void method(long id) {}
    }

    static class OutsideOfAnExpression {
        @Locked("'invoice:' + #id")
        void method(long id) {}
    }

    static class WithoutSign {
        @Locked("invoice:#{id + 1}")
        void method(long id) {}
    }

    static class InBracesOnly {
        @Locked("invoice:{id}")
        void method(long id) {}
    }

    static class PropertyInBraces {
        @Locked("invoice:{id.value}")
        void method(Optional<Long> id) {}
    }

    static class PropertyOutside {
        @Locked("invoice:#id.value")
        void method(Optional<Long> id) {}
    }

    static class Malformed {
        @Locked("invoice:#{#id")
        void method(long id) {}
    }

    static class MisspeltFence {
        @Locked(key = "k", fences = "#{#idd}")
        void method(long id) {}
    }

    static class LeaderOfFuture {
        @LeaderOnly("g")
        Future<String> method() {
            return null;
        }
    }

    static class LeaderOfNumber {
        @LeaderOnly("g")
        int method() {
            return 0;
        }
    }
}
