package io.fenceline.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs a method only on the process that leads a group, for instance a job that is scheduled on every node.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @LeaderOnly("billing")
 * public void closeDay() { … }
 * }</pre>
 *
 * <p>The call does no I/O to learn whether this process leads. If there are {@link TransactionFences}, a transaction of the method cannot
 * commit once a newer leader's has begun, or has claimed the resource: that with the name of {@link io.fenceline.election.Election#keyOf
 * the election's key}. Let the election claim it ({@link io.fenceline.election.ElectionBuilder#claims}), as Spring Boot's starter does, so that an
 * earlier leader commits nothing from the election on. The method is not interrupted when the leadership ends.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface LeaderOnly {

    /**
     * The group; placeholders are resolved. An {@link ElectionLifecycle} of that group must be a bean.
     *
     * @return the group's name
     */
    String value();

    /**
     * The outcome if this process does not lead.
     *
     * @return to skip the method, or to throw
     */
    OnUnavailable otherwise() default OnUnavailable.SKIP;
}
