package io.fenceline.spring.boot.orders;

import io.fenceline.spring.CurrentLease;
import io.fenceline.spring.LeaderOnly;
import io.fenceline.spring.Locked;
import java.util.concurrent.CountDownLatch;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Writes orders under locks. */
@Component
public class Orders {

    private final JdbcTemplate sql;

    Orders(JdbcTemplate sql) {
        this.sql = sql;
        sql.execute("CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY, token VARCHAR(20))");
    }

    /** Pays an order; returns the token under which that was done. */
    @Locked("order:#{#id}")
    @Transactional
    public String pay(long id) {
        String token = CurrentLease.stamp().token().text();
        sql.update("INSERT INTO orders (id, token) VALUES (?, ?)", id, token);
        return token;
    }

    /** Pays an order in a transaction that stays open until the test has done something. */
    @Locked("order:#{#id}")
    @Transactional
    public void paySlowly(long id, CountDownLatch begun, CountDownLatch end) throws InterruptedException {
        sql.update("INSERT INTO orders (id, token) VALUES (?, '')", id);
        begun.countDown();
        end.await();
    }

    /** Returns the term, or nothing where another process leads. */
    @LeaderOnly("billing")
    public java.util.Optional<String> term() {
        return java.util.Optional.of(CurrentLease.stamp().token().text());
    }

    /** Returns how many orders are paid. */
    public long paid(long id) {
        Long count = sql.queryForObject("SELECT count(*) FROM orders WHERE id = ?", Long.class, id);
        return count == null ? 0 : count;
    }
}
