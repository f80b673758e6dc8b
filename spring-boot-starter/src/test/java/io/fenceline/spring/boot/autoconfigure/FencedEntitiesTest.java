package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.hibernate.Fenced;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.spring.FenceScope;
import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code @Fenced} entities in an application of Spring Boot that does nothing for them. */
class FencedEntitiesTest {

    private static final LockKey KEY = LockKey.of("note:1");

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.jpa.hibernate.ddl-auto=create",
                    "fenceline.uri=memory:");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fenceline.jdbc.initialize-schema=embedded",
                "fenceline.guard.table=other_fences",
                "spring.jpa.defer-datasource-initialization=true"
            })
    void areWrittenUnderTheFencesThatTheStarterMakes(String property) {
        application.withPropertyValues(property).run(context -> {
            save(context, 1);

            JdbcFenceGuard guard = context.getBean(JdbcFenceGuard.class);
            guard.claim("note:1", new FenceStamp(KEY, FencingToken.of(3)));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> flush(context, 2));
        });
    }

    @Test
    @Tag("R9")
    void tellTheListenersOfTheApplicationWhatTheyRefuse() {
        application.run(context -> {
            context.getBean(JdbcFenceGuard.class).claim("note:1", new FenceStamp(KEY, FencingToken.of(3)));

            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> flush(context, 2));

            assertThat(context.getBean(Heard.class).events).anyMatch(LockEvent.StaleRefused.class::isInstance);
        });
    }

    @Test
    void areRefusedTheStartWithoutTables() {
        application
                .withPropertyValues("fenceline.jdbc.initialize-schema=never")
                .run(context ->
                        assertThat(context).getFailure().rootCause().isInstanceOf(MissingTablesException.class));
    }

    @Test
    void areRefusedTheStartWithoutATableOfTheirOwn() {
        application
                .withPropertyValues("spring.jpa.properties.fenceline.table=other_fences")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("table other_fences is missing"));
    }

    /** Nobody else checks the table that the entities use. */
    @Test
    void areRefusedTheStartWithoutATableBesideAGuardOfTheApplication() {
        application
                .withUserConfiguration(OwnGuard.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("table fenceline_fences is missing"));
    }

    private static void save(ApplicationContext context, long token) {
        write(context, token, manager -> {});
    }

    /** Meets the fence of the entity, before that of the transaction. */
    private static void flush(ApplicationContext context, long token) {
        write(context, token, EntityManager::flush);
    }

    private static void write(ApplicationContext context, long token, Consumer<EntityManager> after) {
        TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
        EntityManager manager = context.getBean(EntityManager.class);
        try (FenceScope scope = FenceScope.open(new FenceStamp(KEY, FencingToken.of(token)), List.of("note:1"))) {
            transactions.executeWithoutResult(status -> {
                Note note = new Note();
                note.text = "of " + scope;
                manager.merge(note);
                after.accept(manager);
            });
        }
    }

    @Entity(name = "Note")
    @Fenced(resource = "note:{id}")
    static class Note {

        @Id
        long id = 1;

        String text = "";
    }

    static class Heard implements LockListener {

        private final List<LockEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void on(LockEvent event) {
            events.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnGuard {

        @Bean
        JdbcFenceGuard guard(DataSource source) {
            return JdbcFenceGuard.on(source);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Heard heard() {
            return new Heard();
        }
    }
}
