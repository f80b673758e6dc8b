package io.fenceline.spring.boot.orders;

import io.fenceline.spring.CurrentLease;
import io.fenceline.spring.LeaderElected;
import io.fenceline.spring.LeaderOnly;
import io.fenceline.spring.LeaderRevoked;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/** A node that writes a row each second while it leads, and says when it is elected and revoked; a program of its own. */
@AutoConfigured
@EnableScheduling
@Import(TickingNode.Ticks.class)
public class TickingNode {

    /** Runs the node until it is told to end. */
    public static void main(String[] arguments) {
        SpringApplication.run(TickingNode.class, arguments);
    }

    /** The job. */
    public static class Ticks {

        private final JdbcTemplate sql;

        Ticks(JdbcTemplate sql) {
            this.sql = sql;
        }

        /** Counts the seconds. */
        @Scheduled(cron = "* * * * * *")
        @LeaderOnly("ticks")
        @Transactional
        public void tick() {
            sql.update(
                    "INSERT INTO ticks (second, term) VALUES (date_trunc('second', clock_timestamp()), ?)",
                    CurrentLease.stamp().token().value());
        }

        @EventListener
        void on(LeaderElected event) {
            System.out.println("elected " + event.leadership().term());
        }

        @EventListener
        void on(LeaderRevoked event) {
            System.out.println("revoked " + event.leadership().term());
        }
    }
}
