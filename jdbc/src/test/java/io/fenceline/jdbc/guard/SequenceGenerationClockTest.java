package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import io.fenceline.jdbc.OnNewThread;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a clock of sequences has of its own: sequences that exist already, and raises while numbers are taken. */
@Timeout(60)
class SequenceGenerationClockTest {

    private final PostgresPlace place = new PostgresPlace();
    private final SequenceGenerationClock clock = SequenceGenerationClock.on(place.source());

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void takesNumbersOfASequenceThatExists() {
        place.execute("CREATE SEQUENCE " + place.in("orders_seq") + " START 100 CACHE 1");

        assertThat(clock.withSequence("orders", place.in("orders_seq")).next("orders"))
                .isEqualTo(FencingToken.of(100));
    }

    @Test
    void takesASequenceWhoseNameIsAWordOfSql() {
        place.execute("CREATE SEQUENCE " + place.in("\"order\"") + " CACHE 1");
        SequenceGenerationClock named = clock.withSequence("orders", place.in("order"));

        assertThat(named.next("orders")).isEqualTo(FencingToken.of(1));
        named.raise("orders", FencingToken.of(7));
        assertThat(named.current("orders")).contains(FencingToken.of(7));
    }

    @Test
    void refusesASequenceThatIsMissingOrWouldGiveNumbersOutOfOrder() {
        place.execute("CREATE SEQUENCE " + place.in("cached") + " CACHE 20");
        place.execute("CREATE SEQUENCE " + place.in("falling") + " INCREMENT -1 CACHE 1");
        place.execute("CREATE SEQUENCE " + place.in("cycling") + " CACHE 1 CYCLE");
        place.execute("CREATE UNLOGGED SEQUENCE " + place.in("unlogged") + " CACHE 1");

        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> clock.withSequence("orders", place.in("nowhere")).next("orders"))
                .withMessageContaining("CREATE SEQUENCE");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> clock.withSequence("orders", place.in("cached")).next("orders"))
                .withMessageContaining("ALTER SEQUENCE");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> clock.withSequence("orders", place.in("falling")).next("orders"))
                .withMessageContaining("does not only grow");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> clock.withSequence("orders", place.in("cycling")).next("orders"))
                .withMessageContaining("does not only grow");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> clock.withSequence("orders", place.in("unlogged")).next("orders"))
                .withMessageContaining("SET LOGGED");
        assertThatIllegalArgumentException().isThrownBy(() -> clock.withSequence("orders", "x; DROP TABLE y"));
        assertThatIllegalArgumentException().isThrownBy(() -> clock.withPrefix("Clock\""));
    }

    @Test
    void givesNoNumberTwiceWhileItIsRaised() throws Exception {
        SequenceGenerationClock own = clock.withPrefix(place.in("clock_"));
        own.next("books");
        ConcurrentLinkedQueue<FencingToken> taken = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> takers = List.of(taking(own, taken), taking(own, taken), raising(own, taken));

        for (CompletableFuture<Void> taker : takers) {
            taker.get(30, TimeUnit.SECONDS);
        }

        Set<FencingToken> different = new HashSet<>(taken);
        assertThat(different).hasSameSizeAs(taken);
    }

    @Test
    void isRaisedWhenThoseWhoAreTakingNumbersHaveThem() throws Exception {
        String sequence = place.in("orders_seq");
        place.execute("CREATE SEQUENCE " + sequence + " CACHE 1");
        SequenceGenerationClock orders = clock.withSequence("orders", sequence);
        try (Connection taker = place.begin();
                Statement taking = taker.createStatement()) {
            taking.execute(
                    "SELECT pg_advisory_xact_lock_shared(hashtextextended('fenceline clock " + sequence + "', 0))");
            CompletableFuture<Void> raise = OnNewThread.run(() -> orders.raise("orders", FencingToken.of(50)));
            await().until(() -> raise.isDone() || waitsForTakers());

            assertThat(raise).isNotDone();
            taking.execute("SELECT setval('" + sequence + "', 60)");
            taker.commit();
            raise.get(30, TimeUnit.SECONDS);
        }
        assertThat(orders.next("orders")).isEqualTo(FencingToken.of(61));
    }

    private boolean waitsForTakers() throws SQLException {
        try (Connection connection = place.connect();
                Statement statement = connection.createStatement();
                ResultSet waiting = statement.executeQuery("SELECT FROM pg_stat_activity"
                        + " WHERE wait_event_type = 'Lock' AND query LIKE '%fenceline clock%'")) {
            return waiting.next();
        }
    }

    private static CompletableFuture<Void> taking(
            SequenceGenerationClock clock, ConcurrentLinkedQueue<FencingToken> taken) {
        return OnNewThread.run(() -> {
            for (int i = 0; i < 100; i++) {
                taken.add(clock.next("books"));
            }
        });
    }

    /** Raises to what was just taken, which the others are about to pass. */
    private static CompletableFuture<Void> raising(
            SequenceGenerationClock clock, ConcurrentLinkedQueue<FencingToken> taken) {
        return OnNewThread.run(() -> {
            for (int i = 0; i < 50; i++) {
                FencingToken last = clock.next("books");
                taken.add(last);
                clock.raise("books", last);
            }
        });
    }
}
