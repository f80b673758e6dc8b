package io.fenceline.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@link javax.sql.DataSource} bean whose database has the locks if there are several data sources or it is none of the
 * application's. The fences are where the application's transactions are: in the primary one if there is one, and otherwise in the marked one.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * @FencelineDataSource
 * DataSource lockDatabase() { … }
 * }</pre>
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface FencelineDataSource {}
