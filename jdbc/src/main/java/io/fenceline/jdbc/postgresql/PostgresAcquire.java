package io.fenceline.jdbc.postgresql;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.jdbc.product.LockRows;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.sql.SqlFile;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.Checks;
import io.fenceline.time.Ticker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** An acquire: the call of a function, or the statement that does the same. */
final class PostgresAcquire {

    private final LockStore store;
    private final SchemaCall function = new SchemaCall(Ticker.system());
    private final PostgresStatement call;
    private final PostgresStatement statement;

    PostgresAcquire(LockStore store, SqlFile sql) {
        this.store = store;
        this.call = new PostgresStatement(sql, "call_acquire");
        this.statement = new PostgresStatement(sql, "acquire");
    }

    /**
     * Makes an attempt.
     *
     * @return the answer; empty if the lock was free, another was faster, and it is worth to look who
     */
    Optional<Acquisition> attempt(Connection connection, AcquireRequest request) throws SQLException {
        Object[] values = {
            request.key().value(),
            request.lockId().text(),
            request.tokens(),
            request.holder().text(),
            request.ttlMillis(),
            store.lockTimeout(request.timeout())
        };
        return function.run(() -> called(connection, request, values), () -> stated(connection, request, values));
    }

    /** The function has looked after its attempt. */
    private Optional<Acquisition> called(Connection connection, AcquireRequest request, Object... values)
            throws SQLException {
        Answer answer =
                call.one(connection, row -> Answer.read(request, row), values).orElseThrow();
        if (answer.outcome().isEmpty()) {
            Checks.tokensLeft(request, answer.lastFence());
            return Optional.of(fasterOne(request));
        }
        return answer.outcome();
    }

    /** The statement tells what it did in one row, and what it saw before that in another. */
    private Optional<Acquisition> stated(Connection connection, AcquireRequest request, Object... values)
            throws SQLException {
        List<Answer> answers = statement.all(connection, row -> Answer.read(request, row), values);
        Optional<Acquisition> outcome =
                answers.stream().flatMap(answer -> answer.outcome().stream()).findFirst();
        if (outcome.isEmpty()) {
            answers.forEach(answer -> Checks.tokensLeft(request, answer.lastFence()));
        }
        return outcome;
    }

    /**
     * Refuses a request since another was faster. Its grant may be invisible until the commit is done, so how long it runs is unknown; a lease
     * like ours makes the caller poll instead of asking again at once.
     */
    static Acquisition fasterOne(AcquireRequest request) {
        return new Contended(request.ttl(), Optional.empty());
    }

    /**
     * A row of the answer.
     *
     * @param outcome empty if no lease runs; whether this attempt got the lock is then in another row
     * @param lastFence the greatest token spent, if the outcome is empty
     */
    private record Answer(Optional<Acquisition> outcome, long lastFence) {

        static Answer read(AcquireRequest request, ResultSet row) throws SQLException {
            if (row.getBoolean("granted")) {
                return new Answer(Optional.of(granted(request, row)), 0);
            }
            if (!row.getBoolean("runs")) {
                return new Answer(Optional.empty(), row.getLong("last_fence"));
            }
            return new Answer(Optional.of(LockRows.answer(request, PostgresLocks.ROWS.lease(request.key(), row))), 0);
        }
    }

    /** Reads what was granted to a request just now. */
    static Granted granted(AcquireRequest request, ResultSet row) throws SQLException {
        return new Granted(new Grant(
                request.key(),
                request.lockId(),
                request.holder(),
                FencingToken.of(row.getLong("fence")),
                request.tokens(),
                PostgresLocks.ROWS.time(row, "acquired_at"),
                PostgresLocks.ROWS.time(row, "expires_at")));
    }
}
