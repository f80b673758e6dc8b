package io.fenceline.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.postgresql.util.PGobject;

/**
 * Statements of PostgreSQL that are sent together with the beginning and the end of their transaction: one round trip, and nothing that the server
 * waits for the client for while it holds a lock. Each statement sees what was committed before it began, whatever isolation level
 * is the default; settings are local to the transaction, so connections may be shared behind a transaction-mode pooler.
 */
public final class Batch {

    private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED;\n";
    private static final String COMMIT = ";\nCOMMIT";

    private final Sql statements;

    /**
     * Creates the batch.
     *
     * @param statements separated by semicolons, with {@code ?1} where the first value belongs; the first row of the last one
     *     is the answer
     */
    public Batch(String statements) {
        this.statements = new Sql(BEGIN + statements + COMMIT);
    }

    /**
     * Runs it and reads the first row of the answer, which is committed. After an error nothing was changed, or that is unknown, as the error
     * says.
     */
    public <T> Optional<T> run(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        return all(connection, reader, values).stream().findFirst();
    }

    /** The same for all rows of the answer. */
    public <T> List<T> all(Connection connection, RowReader<T> reader, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.text())) {
            statements.set(statement, typed(values));
            return answer(statement, reader);
        } catch (SQLException e) {
            rollBack(connection, e);
            throw e;
        }
    }

    /**
     * Says that texts are texts. With pgjdbc's {@code stringtype=unspecified} it would ask the server what they are, and then send the statements one by
     * one.
     */
    private static Object[] typed(Object... values) throws SQLException {
        Object[] typed = values.clone();
        for (int i = 0; i < typed.length; i++) {
            if (typed[i] instanceof String text) {
                PGobject value = new PGobject();
                value.setType("text");
                value.setValue(text);
                typed[i] = value;
            }
        }
        return typed;
    }

    /** All results have arrived before the first is read: the driver throws if the commit fails. */
    private static <T> List<T> answer(PreparedStatement statement, RowReader<T> reader) throws SQLException {
        boolean rows = statement.execute();
        ResultSet last = null;
        while (rows || statement.getUpdateCount() != -1) {
            last = rows ? statement.getResultSet() : last;
            rows = statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        }
        List<T> answer = new ArrayList<>();
        while (last != null && last.next()) {
            answer.add(reader.read(last));
        }
        return answer;
    }

    /** An error keeps the server from the end of the batch, and so in the transaction. */
    private static void rollBack(Connection connection, SQLException error) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException broken) {
            error.addSuppressed(broken);
        }
    }
}
