package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FencedConsumer;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import io.fenceline.testkit.StressedData;
import io.fenceline.time.Delays;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Two processes put messages into a queue and are stopped while they hold the lock; the test's own process handles the messages
 * under a guard. A message without a stamp is handled as it comes, which is the run without the guard.
 */
class MessageStressTest extends GuardStressTest.OnPostgres {

    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long HANDLED = 0;

    /** In the last column the greatest token that was seen, if the message was refused, or that it was handled. */
    private static final String TABLE = "CREATE TABLE messages (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
            + " resource TEXT NOT NULL, lock TEXT, token TEXT, text TEXT NOT NULL, outcome BIGINT)";

    private static final String INDEX = "CREATE INDEX ON messages (id) WHERE outcome IS NULL";
    private static final Sql SEND =
            new Sql("INSERT INTO messages (resource, lock, token, text) VALUES (?1, ?2, ?3, ?4) RETURNING id");
    private static final Sql NEXT =
            new Sql("SELECT id, resource, lock, token, text FROM messages WHERE outcome IS NULL ORDER BY id LIMIT 1");
    private static final Sql ANSWER = new Sql("UPDATE messages SET outcome = ?2 WHERE id = ?1");
    private static final Sql OUTCOME = new Sql("SELECT outcome FROM messages WHERE id = ?1 AND outcome IS NOT NULL");

    private final FutureTask<Void> consumer = new FutureTask<>(this::consume);
    private volatile boolean isOver;

    @BeforeEach
    void startConsumer() {
        try (UrlPlace place = new UrlPlace(address())) {
            place.execute(TABLE);
            place.execute(INDEX);
        }
        new Thread(consumer, "consumer").start();
    }

    @AfterEach
    void endConsumer() throws Exception {
        isOver = true;
        consumer.get();
    }

    @Override
    protected Class<? extends StressedData> data() {
        return Producing.class;
    }

    private Void consume() throws Exception {
        try (UrlPlace place = new UrlPlace(address())) {
            FencedConsumer<Message, Connection> messages = handling(place);
            while (!isOver) {
                Optional<Message> next =
                        StressedTexts.in(place, true, connection -> NEXT.one(connection, Message::read));
                if (next.isEmpty()) {
                    Delays.system().park(BETWEEN_LOOKS_NANOS);
                } else if (messages.accept(next.get())) {
                    answer(place, next.get(), HANDLED);
                }
            }
        }
        return null;
    }

    private static FencedConsumer<Message, Connection> handling(GuardPlace place) {
        JdbcFenceGuard guard = JdbcFenceGuard.on(place.source(), place.options());
        return FencedConsumer.<Message, Connection>of(
                        message -> FenceHeaders.read(message.headers()),
                        Message::resource,
                        (resource, stamp, effect) -> guard.write(resource, stamp, effect::run),
                        MessageStressTest::handle)
                .whenStale((message, why) -> answer(
                        place, message, ((StaleTokenException) why).highest().value()))
                .whenMissing((message, why) -> {
                    try (Connection connection = place.connect()) {
                        handle(message, connection);
                    }
                    answer(place, message, HANDLED);
                });
    }

    private static void handle(Message message, Connection connection) throws SQLException {
        StressedTexts.put(connection, message.resource(), message.text());
    }

    private static void answer(GuardPlace place, Message message, long outcome) {
        StressedTexts.in(place, true, connection -> ANSWER.run(connection, message.id(), outcome));
    }

    private record Message(long id, String resource, Map<String, String> headers, String text) {

        static Message read(ResultSet row) throws SQLException {
            Map<String, String> headers = new HashMap<>();
            if (row.getString("token") != null) {
                headers.put(FenceHeaders.LOCK, row.getString("lock"));
                headers.put(FenceHeaders.TOKEN, row.getString("token"));
            }
            return new Message(row.getLong("id"), row.getString("resource"), headers, row.getString("text"));
        }
    }

    /** Sends stamped messages, or some without a stamp. */
    static final class Producing extends StressedTexts {

        @Override
        public GuardedData guarded(String address) {
            GuardPlace place = place(address);
            return new Producer(place, JdbcFenceGuard.on(place.source(), place.options()), super.unguarded(address));
        }

        @Override
        public GuardedData unguarded(String address) {
            return new Producer(place(address), new NoGuard(), super.unguarded(address));
        }
    }

    private record Producer(GuardPlace place, FenceGuard guard, GuardedData texts) implements GuardedData {

        /** Sends, and waits until the message is done with. */
        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            Map<String, String> headers = guard instanceof NoGuard ? Map.of() : FenceHeaders.of(stamp);
            long id = StressedTexts.in(
                    place,
                    true,
                    connection -> SEND.one(
                                    connection,
                                    row -> row.getLong(1),
                                    resource,
                                    headers.get(FenceHeaders.LOCK),
                                    headers.get(FenceHeaders.TOKEN),
                                    value)
                            .orElseThrow());
            long outcome = outcome(id);
            if (outcome != HANDLED) {
                throw new StaleTokenException(resource, stamp, FencingToken.of(outcome));
            }
        }

        private long outcome(long id) {
            while (true) {
                Optional<Long> outcome =
                        StressedTexts.in(place, true, connection -> OUTCOME.one(connection, row -> row.getLong(1), id));
                if (outcome.isPresent()) {
                    return outcome.get();
                }
                try {
                    Delays.system().park(BETWEEN_LOOKS_NANOS);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> read(String resource) {
            return texts.read(resource);
        }
    }
}
