package io.fenceline.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives a test the beans of the starter with locks in memory, whose time stands still until the test moves it by the bean {@link
 * io.fenceline.testkit.ManualTime}. For whole applications, whose store is not opened then, and for slices. Transactions are guarded if
 * the test has a {@code DataSource}. A call that waits for a lock waits until that is released or another thread has moved the time:
 * {@code fenceline.max-wait=0s} lets it fail at once.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureFenceline {}
