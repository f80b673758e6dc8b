package io.fenceline.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** A number in a table, and a program that increments it fifty times. */
class Counter {

    private final JdbcTemplate jdbc;

    Counter(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Locked("counter")
    void increment() {
        write(jdbc, read(jdbc) + 1);
    }

    static void create(JdbcTemplate jdbc) {
        jdbc.execute("create table counter (value_ int not null)");
        jdbc.execute("insert into counter values (0)");
    }

    static int read(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select value_ from counter", Integer.class);
    }

    static void write(JdbcTemplate jdbc, int value) {
        jdbc.update("update counter set value_ = ?", value);
    }

    public static void main(String[] arguments) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Program.class)) {
            Counter counter = context.getBean(Counter.class);
            for (int i = 0; i < 50; i++) {
                counter.increment();
            }
        }
    }

    @Configuration
    @EnableTransactionManagement
    @Import(AutoProxies.class)
    static class Program {

        @Bean(destroyMethod = "close")
        HikariDataSource source() {
            return TestDatabase.pool(System.getenv("DATA"), "TRANSACTION_REPEATABLE_READ");
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource source) {
            return new JdbcTransactionManager(source);
        }

        @Bean
        TransactionFences fences(DataSource source) {
            return TransactionFences.of(JdbcFenceGuard.on(source), source);
        }

        @Bean
        Locks locks() {
            return Locks.open(System.getenv("LOCKS"));
        }

        @Bean
        LockTemplate lockTemplate(Locks locks, TransactionFences fences) {
            return LockTemplate.of(locks)
                    .withOptions(LockOptions.defaults().withMaxWait(Duration.ofMinutes(1)))
                    .withFences(fences);
        }

        @Bean
        static LockedAdvisor lockedAdvisor(ConfigurableListableBeanFactory beans) {
            return new LockedAdvisor(LockedAdvisor.ORDER, beans);
        }

        @Bean
        Counter counter(DataSource source) {
            return new Counter(new JdbcTemplate(source));
        }
    }
}
