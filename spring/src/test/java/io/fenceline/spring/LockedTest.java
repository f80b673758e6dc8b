package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockTimeoutException;
import io.fenceline.Locks;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.memory.MemoryLockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.MapPropertySource;

class LockedTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withMaxWait(Duration.ofMillis(50));

    private AnnotationConfigApplicationContext context;
    private Invoices invoices;
    private Locks locks;

    @BeforeEach
    void start() {
        context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("invoices.prefix", "old", "invoices.hold", "1h")));
        context.register(Application.class);
        context.refresh();
        invoices = context.getBean(Invoices.class);
        locks = context.getBean(Locks.class);
    }

    @AfterEach
    void stop() {
        context.close();
    }

    @Test
    void locksWhileTheMethodRuns() {
        assertThat(invoices.pay(42)).isEqualTo(42);

        assertThat(lease().key()).isEqualTo(LockKey.of("invoice:42"));
        assertThat(lease().isHeld()).isFalse();
        assertThat(locks.lookup("invoice:42")).isEmpty();
        assertThat(CurrentLease.find()).isEmpty();
    }

    @Test
    void resolvesPlaceholdersBeansAndTheRootObject() {
        invoices.archive("1999");

        assertThat(lease().key()).isEqualTo(LockKey.of("old:north:acme:1999"));
    }

    @Test
    void refusesAKeyWithoutAText() {
        assertThatThrownBy(() -> invoices.byObject(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'invoice:#{#key}' of " + Invoices.class.getName() + ".byObject(Object): #key is null");
        assertThatThrownBy(() -> invoices.byObject(new Object()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no toString() of its own");
        assertThatThrownBy(() -> invoices.byObject(new byte[1])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> invoices.byObject(Optional.empty())).hasMessageContaining("#key is null");
        invoices.byObject(Optional.of(7));
        assertThat(lease().key()).isEqualTo(LockKey.of("invoice:7"));
        invoices.byObject(UUID.randomUUID());
        assertThat(invoices.leases()).hasSize(2);
    }

    @Test
    void throwsOrSkipsWhereTheLockIsTaken() throws Exception {
        locks.run("nightly", lease -> {
            assertThatThrownBy(() -> invoices.impatient()).isInstanceOf(LockTimeoutException.class);
            invoices.nightly();
            assertThat(invoices.nightlyResult()).isEmpty();
        });
        assertThat(invoices.leases()).isEmpty();
        assertThat(invoices.nightlyResult()).contains("done");
    }

    @Test
    void keepsTheLockForItsMinimumHold() {
        invoices.shortJob();

        assertThat(lease().isHeld()).isFalse();
        assertThat(locks.lookup("short")).isPresent();
    }

    @Test
    void joinsALeaseOfTheSameThread() throws Exception {
        Lease inner = invoices.within(() -> invoices.within(CurrentLease::required));

        assertThat(invoices.leases()).hasSize(2).allMatch(lease -> lease == inner);
        assertThat(locks.lookup("outer")).isEmpty();
    }

    @Test
    void joinsNoLeaseThatIsLost() throws Exception {
        invoices.within(() -> {
            lease().release();
            assertThatThrownBy(() -> invoices.within(() -> 1)).isInstanceOf(IllegalStateException.class);
            return 1;
        });
    }

    @Test
    void doesNotSkipForAnotherLockWithinTheMethod() {
        assertThatThrownBy(() -> invoices.nightlyWork(() -> {
                    throw new LockTimeoutException(LockKey.of("other"), Duration.ZERO, Optional.empty());
                }))
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void throwsAnApplicationsOwnExceptionAsItIs() {
        RuntimeException own = new IllegalArgumentException(new MissingTokenException("invoice:1", "set one"));

        assertThatThrownBy(() -> invoices.within(() -> {
                    throw own;
                }))
                .isSameAs(own);
    }

    @Test
    void releasesWhenAStageCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();

        CompletableFuture<String> result = invoices.later(7, work);
        assertThat(lease().isHeld()).isTrue();
        assertThat(CurrentLease.find()).isEmpty();
        work.complete("done");

        assertThat(result).isCompletedWithValue("done");
        assertThat(lease().isHeld()).isFalse();
        assertThat(locks.lookup("invoice:7")).isEmpty();
    }

    @Test
    void refusesWorkToComeThatTheDeclaredResultDoesNotTell() {
        assertThatThrownBy(() -> invoices.undeclared(new CompletableFuture<>()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("declare the result as CompletionStage");
        for (Object later : List.<Object>of((Callable<Integer>) () -> 1, (Supplier<Integer>) () -> 1, Stream.of(1))) {
            assertThatThrownBy(() -> invoices.undeclared(later))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its work may go on afterwards");
        }
        Object ended = CompletableFuture.completedFuture("done");
        assertThat(invoices.undeclared(ended)).isSameAs(ended);
    }

    @Test
    void refusesAStageUnderALockThatTheThreadHolds() throws Exception {
        LockTemplate template = context.getBean(LockTemplate.class);

        template.run(
                "invoice:7",
                held -> assertThatThrownBy(() -> invoices.later(7, new CompletableFuture<>()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("this thread holds lock 'invoice:7' already"));

        assertThat(invoices.leases()).isEmpty();
    }

    @Test
    void failsAStageWhoseLeaseWasLost() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = invoices.later(7, work);

        locks.close();
        work.complete("done");

        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void takesTheOptionsOfTheLocksThatItUses() {
        invoices.onOtherLocks();

        Lease lease = lease();
        assertThat(lease.grant().holder()).isEqualTo(Holder.of("other"));
        assertThat(context.getBean("otherLocks", Locks.class).lookup("report")).isPresent();
    }

    @Test
    void worksAsAMetaAnnotation() {
        invoices.byMetaAnnotation();

        assertThat(lease().key()).isEqualTo(LockKey.of("report"));
    }

    @Test
    void tellsOfACallPastTheProxy() {
        assertThatThrownBy(() -> invoices.onThis())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not on 'this'");
    }

    @Test
    void endsAWaitThatIsInterrupted() throws Exception {
        locks.run("invoice:1", lease -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> invoices.pay(1)).isInstanceOf(CancellationException.class);
            assertThat(Thread.interrupted()).isTrue();

            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> invoices.within(() -> 1)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
        });
    }

    private Lease lease() {
        return invoices.leases().get(0);
    }

    @Configuration
    @Import(AutoProxies.class)
    static class Application {

        @Bean
        static LockedAdvisor lockedAdvisor(ConfigurableListableBeanFactory beans) {
            return new LockedAdvisor(LockedAdvisor.ORDER, beans);
        }

        @Bean
        Locks otherLocks() {
            LockOptions own =
                    LockOptions.defaults().withHolder(Holder.of("other")).withMinHold(Duration.ofHours(1));
            return Locks.builder(new MemoryLockBackend()).defaults(own).build();
        }

        @Bean
        @Primary
        Locks locks() {
            return Locks.over(new MemoryLockBackend());
        }

        @Bean
        LockTemplate lockTemplate(Locks locks) {
            return LockTemplate.of(locks).withOptions(OPTIONS);
        }

        @Bean
        Invoices invoices() {
            return new Invoices();
        }

        @Bean
        Tenants tenants() {
            return new Tenants();
        }
    }

    /** A bean that a key names. */
    public static class Tenants {
        public String current() {
            return "acme";
        }
    }
}
