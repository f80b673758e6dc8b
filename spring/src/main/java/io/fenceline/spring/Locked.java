package io.fenceline.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a lock.
 *
 * <pre>{@code
 * @Locked("invoice:#{#id}")
 * @Transactional
 * public void pay(long id) { … }
 * }</pre>
 *
 * <p>The lock is always taken outside of the method's own transaction, and released after its commit. A call from within another
 * transaction would release before that commits, and is refused; see {@link InTransaction}. A call under a key that the thread holds
 * already, by this annotation or a {@link LockTemplate}, joins that lease.
 *
 * <p>If there are {@link TransactionFences}, every transaction that the calling thread commits within the method is refused with a
 * {@link io.fenceline.guard.StaleTokenException} once a newer holder has begun. Not guarded are writes outside of transactions, on other
 * threads, and in callbacks after a commit, such as {@code @TransactionalEventListener} methods that do not begin a transaction by {@code
 * REQUIRES_NEW}.
 *
 * <p>For methods of beans, called through their proxy: a call on {@code this} takes no lock, as for other annotations of Spring's;
 * {@link CurrentLease#required()} throws then. Methods that cannot work are refused when the application starts, by name: private,
 * static and final ones, those that return before their work is done (reactive types, {@code Future}; {@code CompletionStage} and {@code
 * CompletableFuture} work, and release when they complete), those that a proxy of interfaces does not have, those that the container calls
 * past the proxy, such as {@code @PostConstruct}, and those whose key names a parameter that is not known. A call of a method that returns a stage is refused under a lock that the thread holds already.
 *
 * <p>The call throws {@link io.fenceline.LeaseLostException} if the method returned after its lease was lost.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface Locked {

    /**
     * The lock key; another name of {@link #key}.
     *
     * @return the key
     */
    @AliasFor("key")
    String value() default "";

    /**
     * The lock key: text with placeholders, as in {@code report-${region}}, and expressions over the method's parameters and the
     * application's beans, as in {@code invoice:#{#id}} or {@code #{@tenants.current()}:orders}. An expression that is null, has
     * no text of its own, has elements in no sorted order, as sets and maps do, or is of a type of the JDK whose text depends on the process, as that of
     * {@link java.util.Date} on its time zone, is an {@link IllegalArgumentException} at run time: the text must be the same for equal values in all processes.
     *
     * @return the key
     */
    @AliasFor("value")
    String key() default "";

    /**
     * The maximum wait for the lock, such as {@code 5s} or {@code PT5S}; placeholders are resolved. By default that of the locks,
     * and none for {@link OnUnavailable#SKIP}.
     *
     * @return a duration, or empty for the default
     */
    String maxWait() default "";

    /**
     * The time to live of the lease, which is renewed while the method runs: the time until others get the lock if this process
     * dies. By default that of the locks.
     *
     * @return a duration, or empty for the default
     */
    String ttl() default "";

    /**
     * The minimum time from the grant for which the lock stays taken, however soon the method returns: for jobs that each node
     * starts at the same time by its own clock.
     *
     * @return a duration, or empty for none
     */
    String atLeast() default "";

    /**
     * The outcome if the lock is not free in time.
     *
     * @return to throw, or to skip the method
     */
    OnUnavailable onUnavailable() default OnUnavailable.THROW;

    /**
     * The resources that the method writes, by the names that all their writers use; written as {@link #key} is. By default one
     * with the name of the key.
     *
     * @return the names of resources
     */
    String[] fences() default {};

    /**
     * The name of the {@link io.fenceline.Locks} bean, if there are several.
     *
     * @return a bean's name, or empty for the only or primary one
     */
    String locks() default "";
}
