package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spring.LockTemplate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** A job of Spring Batch under a lock, as docs/spring.md has it. */
@Timeout(180)
class BatchJobTest {

    /** Batch cannot write either that the job has failed. */
    @Test
    void whatAnOvertakenHolderHasLeftIsRecoveredByTheNextOne() {
        try (PostgresServer server = PostgresServer.start(Map.of("fsync", "off"));
                ConfigurableApplicationContext application = start(server);
                Locks another = Locks.over(application.getBean(LockBackend.class))) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE line (number int)");
            Lines lines = application.getBean(Lines.class);
            lines.beforeSecondCommit = () -> overtake(application, another);

            assertThatThrownBy(() -> run(application)).isInstanceOf(StaleTokenException.class);
            assertThat(numbers(jdbc)).containsExactly(1);

            lines.beforeSecondCommit = () -> {};
            assertThat(run(application).getStatus()).isEqualTo(BatchStatus.COMPLETED);
            assertThat(numbers(jdbc)).containsExactly(1, 2, 3);
        }
    }

    private static JobExecution run(ConfigurableApplicationContext application) {
        JobRepository repository = application.getBean(JobRepository.class);
        JobOperator operator = application.getBean(JobOperator.class);
        Job job = application.getBean(Job.class);
        try {
            return application.getBean(LockTemplate.class).call("nightly", lease -> {
                repository.findRunningJobExecutions(job.getName()).forEach(operator::recover);
                return operator.start(job, new JobParameters());
            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Another process gets the lock, and works for a while. */
    private static void overtake(ConfigurableApplicationContext application, Locks another) {
        LockBackend backend = application.getBean(LockBackend.class);
        backend.ability(LockCatalog.class).orElseThrow().forceRelease(LockKey.of("nightly"), Holder.of("operator"));
        try (Lease next = another.tryAcquire("nightly").orElseThrow()) {
            application.getBean(JdbcFenceGuard.class).claim("nightly", next.stamp());
        }
    }

    private static List<Integer> numbers(JdbcTemplate jdbc) {
        return jdbc.queryForList("SELECT number FROM line ORDER BY number", Integer.class);
    }

    private static ConfigurableApplicationContext start(PostgresServer server) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + server.jdbcUrl("postgres"),
                        "spring.batch.jdbc.initialize-schema=always",
                        "spring.batch.job.enabled=false",
                        "fenceline.jdbc.initialize-schema=always")
                .run();
    }

    static class Lines {

        private final JdbcTemplate jdbc;
        private volatile Runnable beforeSecondCommit = () -> {};

        Lines(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Nullable
        Integer next() {
            Integer written = jdbc.queryForObject("SELECT count(*) FROM line", Integer.class);
            return written == null || written == 3 ? null : written + 1;
        }

        void write(Integer number) {
            jdbc.update("INSERT INTO line VALUES (?)", number);
            if (number == 2) {
                beforeSecondCommit.run();
            }
        }
    }

    @Configuration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Lines lines(JdbcTemplate jdbc) {
            return new Lines(jdbc);
        }

        @Bean
        Job nightly(JobRepository repository, PlatformTransactionManager transactions, Lines lines) {
            return new JobBuilder("nightly", repository)
                    .start(new StepBuilder("lines", repository)
                            .<Integer, Integer>chunk(1)
                            .transactionManager(transactions)
                            .reader(lines::next)
                            .writer(chunk -> chunk.forEach(lines::write))
                            .build())
                    .build();
        }
    }
}
