package io.fenceline.examples.books;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.hibernate.Fencing;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.guard.SqlGenerationClock;
import io.fenceline.servers.PostgresServer;
import io.fenceline.time.Delays;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand clients at once, each delayed at random between its token and its write. */
@Tag("R3")
class BookPricesTest {

    private static final Logger HIBERNATE = Logger.getLogger("org.hibernate");
    private static final int CLIENTS = 1_000;
    private static final int THREADS = 16;
    private static final long LONGEST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    private static PostgresServer server;
    private static HikariDataSource source;
    private static SessionFactory sessions;

    @BeforeAll
    static void open() {
        HIBERNATE.setLevel(Level.SEVERE);
        server = PostgresServer.start(Map.of("fsync", "off"));
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(server.jdbcUrl("postgres"));
        pool.setMaximumPoolSize(THREADS);
        source = new HikariDataSource(pool);
        JdbcFenceGuard.on(source).schema().installSchema();
        SqlGenerationClock.on(source).schema().installSchema();
        Configuration configuration = new Configuration().addAnnotatedClass(Book.class);
        configuration.getProperties().put("hibernate.connection.datasource", source);
        configuration.getProperties().put("hibernate.hbm2ddl.auto", "create");
        sessions = configuration.buildSessionFactory();
    }

    @AfterAll
    static void close() {
        sessions.close();
        source.close();
        server.close();
    }

    @Test
    void theFinalPriceIsThatOfTheGreatestToken() throws Exception {
        BookPrices prices = new BookPrices(sessions, SqlGenerationClock.on(source));
        prices.add(new Book(1));

        List<Change> changes = inParallel(client -> change(prices, client));

        Change last = changes.stream()
                .max((one, other) -> one.order().token().compareTo(other.order().token()))
                .orElseThrow();
        assertThat(prices.book(1).price()).isEqualTo(last.price());
        assertThat(prices.book(1).lastFence()).isEqualTo(last.order().token().value());
        assertThat(last.accepted()).isTrue();
        assertThat(changes).as("late ones were refused").anyMatch(change -> !change.accepted());
    }

    private record Change(FenceStamp order, long price, boolean accepted) {}

    private interface Client {
        Change run(int number) throws InterruptedException;
    }

    private static Change change(BookPrices prices, int client) throws InterruptedException {
        long price = client + 1;
        FenceStamp order = prices.order();
        Delays.system().park(ThreadLocalRandom.current().nextLong(LONGEST_DELAY_NANOS));
        try {
            prices.change(1, price, order);
            return new Change(order, price, true);
        } catch (RuntimeException failure) {
            assertThat(Fencing.refusal(failure)).as("" + failure).containsInstanceOf(StaleTokenException.class);
            return new Change(order, price, false);
        }
    }

    private static List<Change> inParallel(Client client) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Change>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                running.add(threads.submit(() -> client.run(number)));
            }
            List<Change> changes = new ArrayList<>();
            for (Future<Change> change : running) {
                changes.add(change.get(60, TimeUnit.SECONDS));
            }
            return changes;
        } finally {
            threads.shutdownNow();
        }
    }
}
