package io.fenceline.spring.boot.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.servers.PostgresServer;
import io.fenceline.spring.Locked;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** What is said when an application does not start: real failures, and the words that Spring Boot prints. */
class LockFailureAnalyzerTest {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
        server.execute("postgres", "CREATE ROLE guest LOGIN PASSWORD 'right'");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
                "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
                "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
                "org.springframework.boot.autoconfigure.data.redis.RedisReactiveAutoConfiguration",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration"
            })
    static class WithoutStore {}

    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.batch.jdbc.autoconfigure.BatchJdbcAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration"
            })
    static class WithDatabase {}

    @Import(LaterBean.class)
    static class WithImpossibleMethod extends WithDatabase {}

    static class LaterBean {
        @Locked("key")
        public @Nullable Future<String> later() {
            return null;
        }
    }

    @Import(WrappedManager.class)
    static class WithWrappedManager extends WithDatabase {}

    static class WrappedManager implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }

    @Test
    void aMissingStore() {
        FailureAnalysis analysis = analysisOf(WithoutStore.class);

        assertThat(analysis.getDescription()).contains("there is no store for the locks");
        assertThat(analysis.getAction()).contains("@Primary", "@FencelineDataSource", "fenceline.uri", "memory:");
    }

    @Test
    void missingTables() {
        FailureAnalysis analysis =
                analysisOf(WithDatabase.class, "--spring.datasource.url=" + server.jdbcUrl("postgres"));

        assertThat(analysis.getDescription()).contains("table fenceline_lock is missing");
        assertThat(analysis.getAction())
                .contains("fenceline.jdbc.initialize-schema=always", "fenceline schema install");
    }

    @Test
    void aWrongPassword() {
        FailureAnalysis analysis = analysisOf(
                WithDatabase.class,
                "--fenceline.guard.enabled=false",
                "--spring.datasource.url=jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres",
                "--spring.datasource.username=guest",
                "--spring.datasource.password=wrong");

        assertThat(analysis.getDescription()).contains("AUTH_FAILED");
        assertThat(analysis.getAction()).contains("user and the password");
    }

    @Test
    void aRoleThatMayNotCreateTables() {
        FailureAnalysis analysis = analysisOf(
                WithDatabase.class,
                "--fenceline.jdbc.initialize-schema=always",
                "--spring.datasource.url=jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres",
                "--spring.datasource.username=guest",
                "--spring.datasource.password=right");

        assertThat(analysis.getDescription()).contains("AUTH_FAILED");
        assertThat(analysis.getAction()).contains("rights of that user");
    }

    @Test
    void aMethodThatCannotWork() {
        FailureAnalysis analysis = analysisOf(
                WithImpossibleMethod.class,
                "--spring.datasource.url=" + server.jdbcUrl("postgres"),
                "--fenceline.guard.enabled=false",
                "--fenceline.uri=memory:");

        assertThat(analysis.getDescription()).contains("LaterBean.later()").contains("Future");
        assertThat(analysis.getAction()).contains("Change the method");
    }

    @Test
    void anUnknownStore() {
        FailureAnalysis analysis = analysisOf(WithoutStore.class, "--fenceline.uri=postgres//db.example/app");

        assertThat(analysis.getDescription()).contains("no backend for 'postgres//db.example/app'");
        assertThat(analysis.getAction()).contains("Correct fenceline.uri");
    }

    @Test
    void aTransactionManagerThatTakesNoListeners() {
        FailureAnalysis analysis = analysisOf(
                WithWrappedManager.class,
                "--fenceline.jdbc.initialize-schema=always",
                "--spring.datasource.url=" + server.jdbcUrl(server.newDatabase()));

        assertThat(analysis.getDescription()).contains("it is no ConfigurableTransactionManager");
        assertThat(analysis.getAction()).contains("fenceline.guard.enabled=false");
    }

    @Test
    void anOlderHibernate() {
        FailureAnalysis analysis = new LockFailureAnalyzer()
                .analyze(new IllegalArgumentException(new IllegalStateException(
                        "fenceline-hibernate needs Hibernate ORM 7.4 or later, and this is 6.6.53.Final")));

        assertThat(analysis).isNotNull();
        assertThat(analysis.getAction()).contains("remove fenceline-hibernate");
    }

    @Test
    void nothingOfOurs() {
        assertThat(new LockFailureAnalyzer().analyze(new IllegalStateException("something else")))
                .isNull();
    }

    private static FailureAnalysis analysisOf(Class<?> application, String... properties) {
        SpringApplication spring = new SpringApplication(application);
        spring.setDefaultProperties(Map.of(
                "spring.main.web-application-type", "none",
                "spring.main.banner-mode", "off",
                "spring.data.jpa.repositories.enabled", "false",
                "fenceline.store", "jdbc"));
        Throwable failure = catchThrowable(() -> spring.run(properties).close());
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.none(), (type, name, problem) -> {})
                .stream()
                .filter(LockFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow()
                .analyze(failure);
    }
}
