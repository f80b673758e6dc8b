package io.fenceline.jdbc.sqlserver;

import io.fenceline.jdbc.dialect.LockStore;
import io.fenceline.jdbc.dialect.RowReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Statements that are sent together, one round trip, and are one transaction. It begins by locking the row of the key {@code ?1}, or the
 * place where it would be, and reads the clock into {@code @now} when it has it. An error undoes and ends all of it, and the settings end
 * with it.
 */
final class Batch {

    static final String NOW = SqlServerDialect.NOW;

    private static final String BEGIN = """
            SET NOCOUNT, XACT_ABORT ON;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            SET LOCK_TIMEOUT %d;
            BEGIN TRANSACTION;
            SELECT last_fence FROM fenceline_lock WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE lock_key = ?1;
            DECLARE @now BIGINT = %s;
            """;

    private static final String END = """
            ;
            COMMIT TRANSACTION""";

    private static final Pattern NUMBERED = Pattern.compile("\\?([1-9])");

    private final String text;
    private final int[] order;

    /**
     * Creates the batch.
     *
     * @param store where
     * @param statements what comes after the lock, separated by semicolons at ends of lines; the last query's first row is the answer
     */
    Batch(LockStore store, String statements) {
        long patience = Math.max(1, store.answerLimit().toMillis() * 4 / 5);
        Matcher marks = NUMBERED.matcher(store.table().in(BEGIN.formatted(patience, NOW) + statements + END));
        this.order = marks.results()
                .mapToInt(mark -> Integer.parseInt(mark.group(1)) - 1)
                .toArray();
        this.text = marks.replaceAll("?");
    }

    /** Runs it. All results are read, since an error may come after the last row. */
    <T> Optional<T> run(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < order.length; i++) {
                statement.setObject(i + 1, values[order[i]]);
            }
            Optional<T> answer = Optional.empty();
            boolean locked = false;
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() != -1) {
                if (rows) {
                    try (ResultSet result = statement.getResultSet()) {
                        answer = locked && result.next() ? Optional.of(reader.read(result)) : Optional.empty();
                    }
                    locked = true;
                }
                rows = statement.getMoreResults();
            }
            return answer;
        }
    }
}
