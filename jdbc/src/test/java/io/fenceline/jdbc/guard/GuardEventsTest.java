package io.fenceline.jdbc.guard;

import static io.fenceline.jdbc.guard.Columns.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.LockEvent;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What guards of a database are asked and what they answer is told once each, in order, whoever owns the transaction. */
class GuardEventsTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private final List<LockEvent> events = new ArrayList<>();
    private final GuardPlace place = new SqlitePlace();
    private final GuardOptions options = place.options().withListeners(events::add);
    private final JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), options);
    private final FencedTable invoices =
            FencedTable.of("invoice", "id", "last_fence").with(options).withNames(row -> "invoice/" + row);

    GuardEventsTest() {
        guard.schema().installSchema();
        place.execute(
                "CREATE TABLE invoice (id INTEGER PRIMARY KEY, status TEXT, last_fence INTEGER NOT NULL DEFAULT 0)");
    }

    @AfterEach
    void close() {
        place.close();
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(KEY, FencingToken.of(token));
    }

    private void assertTold(String resource, long token, GuardAct act, boolean accepted) {
        assertThat(events)
                .containsExactly(
                        new LockEvent.GuardAsked(resource, stamp(token), act),
                        new LockEvent.GuardAnswered(resource, stamp(token), act, accepted));
        events.clear();
    }

    @Test
    void ofAWriteAndAClaimInTransactionsOfTheirOwn() throws Exception {
        guard.call("total", stamp(7), connection -> 1);
        assertTold("total", 7, GuardAct.WRITE, true);

        guard.claim("total", stamp(8));
        assertTold("total", 8, GuardAct.CLAIM, true);
    }

    @Test
    void ofAWriteThatFailsByItself() {
        assertThatThrownBy(() -> guard.write("total", stamp(7), connection -> {
                    throw new IllegalStateException("no money");
                }))
                .hasMessage("no money");

        assertTold("total", 7, GuardAct.WRITE, false);
    }

    @Test
    void ofARefusalBetweenQuestionAndAnswer() {
        guard.claim("total", stamp(8));
        events.clear();

        assertThatThrownBy(() -> guard.call("total", stamp(7), connection -> 1))
                .isInstanceOf(StaleTokenException.class);

        assertThat(events)
                .containsExactly(
                        new LockEvent.GuardAsked("total", stamp(7), GuardAct.WRITE),
                        new LockEvent.StaleRefused("total", stamp(7), FencingToken.of(8)),
                        new LockEvent.GuardAnswered("total", stamp(7), GuardAct.WRITE, false));
    }

    @Test
    void ofWhatJoinsATransaction() throws Exception {
        try (Connection connection = place.source().getConnection()) {
            connection.setAutoCommit(false);

            guard.enter(connection, "total", stamp(7));
            assertTold("total", 7, GuardAct.WRITE, true);

            invoices.insert(connection, 42, stamp(7), set("status", "open"));
            assertTold("invoice/42", 7, GuardAct.WRITE, true);
            invoices.update(connection, 42, stamp(7), set("status", "paid"));
            assertTold("invoice/42", 7, GuardAct.WRITE, true);
            invoices.put(connection, 42, stamp(7), set("status", "sent"));
            assertTold("invoice/42", 7, GuardAct.WRITE, true);
            invoices.claim(connection, 42, stamp(8));
            assertTold("invoice/42", 8, GuardAct.CLAIM, true);
            invoices.delete(connection, 42, stamp(8));
            assertTold("invoice/42", 8, GuardAct.WRITE, true);
            connection.commit();
        }
    }
}
