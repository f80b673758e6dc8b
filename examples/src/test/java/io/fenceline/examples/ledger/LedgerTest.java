package io.fenceline.examples.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Locks;
import io.fenceline.election.NotLeaderException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.FencedStream;
import io.fenceline.jdbc.guard.StreamEntry;
import io.fenceline.servers.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that elect the one that appends to a ledger on PostgreSQL. */
@Tag("E1")
@Tag("R1")
@Timeout(120)
class LedgerTest {

    private static final Duration TTL = Duration.ofSeconds(2);

    private static PostgresServer server;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private String database;
    private FencedStream streams;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of("fsync", "off"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void makeTables() {
        database = server.newDatabase();
        HikariDataSource source = pool(server.jdbcUrl(database));
        open.push(source);
        streams = FencedStream.on(source);
        streams.schema().installSchema();
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void theTermGrowsWhenAnotherNodeTakesOver() {
        LedgerNode first = node("first");
        FencingToken before = awaitTerm(first).token();
        LedgerNode second = node("second");

        first.stepDown();

        assertThat(awaitTerm(second).token()).isGreaterThan(before);
        assertThat(first.tokens().current()).isEmpty();
    }

    @Test
    void theLeaderAppendsAndTheOthersAreToldThatTheyAreNot() {
        LedgerNode leader = node("leader");
        awaitTerm(leader);
        LedgerNode other = node("other");

        assertThat(leader.append("paid 7")).isEqualTo(1);
        assertThat(leader.append("paid 8")).isEqualTo(2);

        assertThatExceptionOfType(NotLeaderException.class).isThrownBy(() -> other.append("paid 9"));
        assertThat(other.entries()).extracting(StreamEntry::text).containsExactly("paid 7", "paid 8");
    }

    @Test
    void anEntryOfAnEarlierTermIsRefusedAndNamesBoth() {
        LedgerNode first = node("first");
        FenceStamp remembered = awaitTerm(first);
        LedgerNode second = node("second");
        first.stepDown();
        FenceStamp newer = awaitTerm(second);

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> streams.append("ledger", remembered, bytes("late")))
                .withMessageContaining(remembered.token().toString())
                .withMessageContaining(newer.token().toString());
        assertThat(second.entries()).isEmpty();
    }

    @Test
    void ofEntriesOfTwoTermsAtOnceNoneOfTheOlderFollowsOneOfTheNewer() throws Exception {
        LedgerNode first = node("first");
        FenceStamp older = awaitTerm(first);
        LedgerNode second = node("second");
        first.append("before the takeover");
        first.stepDown();
        FenceStamp newer = awaitTerm(second);

        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            Callable<Boolean> ofOlder = () -> isAppended(older);
            Callable<Boolean> ofNewer = () -> isAppended(newer);
            threads.invokeAll(List.of(ofOlder, ofNewer, ofOlder, ofNewer, ofOlder, ofNewer, ofOlder, ofNewer))
                    .forEach(done -> assertThat(done).isDone());
        } finally {
            threads.shutdown();
        }

        assertThat(second.entries()).extracting(StreamEntry::token).isSorted();
        assertThat(second.entries())
                .extracting(StreamEntry::token)
                .containsExactly(older.token(), newer.token(), newer.token(), newer.token(), newer.token());
    }

    @Test
    @Tag("E2")
    void aLeaderThatIsStoppedPastItsTimeWakesUpAndIsRefused() throws Exception {
        StubbornNode stubborn = StubbornNode.start(server.uri(database), server.jdbcUrl(database), TTL);
        open.push(stubborn);
        long term = Long.parseLong(stubborn.answer());
        assertThat(stubborn.append("while it leads")).isEqualTo("appended at 1");

        stubborn.signal("STOP");
        LedgerNode next = node("next");
        long nextTerm = awaitTerm(next).token().value();
        assertThat(nextTerm).isGreaterThan(term);
        stubborn.signal("CONT");

        assertThat(stubborn.append("after it was stopped")).isEqualTo("refused, " + term + " after " + nextTerm);
        assertThat(next.append("by the next leader")).isEqualTo(2);
        assertThat(next.entries())
                .extracting(StreamEntry::text)
                .containsExactly("while it leads", "by the next leader");
    }

    private LedgerNode node(String name) {
        Locks locks = Locks.over(Backends.open(server.uri(database)));
        open.push(locks);
        LedgerNode node = new LedgerNode(locks, streams, name, TTL);
        open.push(node);
        return node;
    }

    private boolean isAppended(FenceStamp stamp) {
        try {
            streams.append("ledger", stamp, bytes("of term " + stamp.token()));
            return true;
        } catch (StaleTokenException refused) {
            return false;
        }
    }

    static FenceStamp awaitTerm(LedgerNode node) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> node.tokens().current().isPresent());
        return node.tokens().required();
    }

    static HikariDataSource pool(String jdbcUrl) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(jdbcUrl);
        pool.setMaximumPoolSize(8);
        return new HikariDataSource(pool);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
