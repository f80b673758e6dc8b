package io.fenceline.jdbc.sqlserver;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Lets H2 in its SQL Server mode stand for a server as far as it goes. Batches are taken apart: queries and changes go to H2 as they
 * are, hints and all; what H2 does not know is done here, which is settings, transactions, {@code @now} and the clock. H2 ignores the
 * hints, so one batch runs at a time: nothing is shown of what a server locks.
 */
public final class PiecemealDataSource {

    private static final Pattern OUTPUT = Pattern.compile("(.*) OUTPUT inserted\\.(\\w+)(.*)", Pattern.DOTALL);

    /** Duplicate key; deadlock, row changed meanwhile, row locked for too long; no such table. */
    private static final Map<Integer, Integer> NUMBERS =
            Map.of(23505, 2627, 40001, 1205, 90131, 3960, 50200, 1205, 42102, 208, 42104, 208);

    private PiecemealDataSource() {}

    /** Batches on data sources with one turn exclude one another. */
    public static DataSource over(DataSource h2, Lock turn) {
        return proxy(DataSource.class, (proxy, method, values) -> {
            Object answer = call(h2, method, values);
            return answer instanceof Connection connection ? connection(connection, turn) : answer;
        });
    }

    private static Connection connection(Connection h2, Lock turn) {
        return proxy(Connection.class, (proxy, method, values) -> switch (method.getName()) {
            case "prepareStatement" -> {
                String sql = (String) values[0];
                yield sql.contains("BEGIN TRANSACTION")
                        ? proxy(PreparedStatement.class, new Pieces(h2, sql, turn))
                        : single(h2, inWordsOfH2(sql));
            }
            case "createStatement" -> statement(h2.createStatement());
            case "getMetaData" ->
                proxy(
                        DatabaseMetaData.class,
                        (other, asked, which) -> asked.getName().equals("getDatabaseProductName")
                                ? "Microsoft SQL Server"
                                : call(h2.getMetaData(), asked, which));
            default -> call(h2, method, values);
        });
    }

    /** H2 returns what a statement has changed in a form of its own, and has another name for a transaction's number. */
    private static String inWordsOfH2(String sql) {
        Matcher changing = OUTPUT.matcher(sql.replace(Batch.NOW, Long.toString(micros())));
        return changing.matches()
                ? "SELECT " + changing.group(2) + " FROM FINAL TABLE (" + changing.group(1) + changing.group(3) + ")"
                : sql.replace(Batch.NOW, Long.toString(micros()))
                        .replace("CURRENT_TRANSACTION_ID()", "TRANSACTION_ID()");
    }

    /** H2 finds some errors when a statement is prepared. */
    private static PreparedStatement single(Connection h2, String sql) throws SQLException {
        try {
            return single(h2.prepareStatement(sql));
        } catch (SQLException e) {
            throw asOfAServer(e);
        }
    }

    private static PreparedStatement single(PreparedStatement h2) {
        return proxy(PreparedStatement.class, (proxy, method, values) -> {
            try {
                return call(h2, method, values);
            } catch (SQLException e) {
                throw asOfAServer(e);
            }
        });
    }

    /** Errors get the numbers that a server gives them. A server would not let two insert the same; its hints see to that. */
    private static SQLException asOfAServer(SQLException e) {
        return NUMBERS.containsKey(e.getErrorCode())
                ? new SQLException(e.getMessage(), e.getSQLState(), NUMBERS.get(e.getErrorCode()))
                : e;
    }

    /** Runs the schema's script, whose conditions H2 has in another form. */
    private static Statement statement(Statement h2) {
        return proxy(Statement.class, (proxy, method, values) -> {
            if (method.getName().startsWith("execute")) {
                values[0] = ((String) values[0])
                        .replaceAll("IF OBJECT_ID\\(.*\\) IS NULL\n", "")
                        .replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")
                        .replace(" COLLATE Latin1_General_BIN2", "")
                        .replace("SYSUTCDATETIME()", "CURRENT_TIMESTAMP");
            }
            return call(h2, method, values);
        });
    }

    /** A batch, piece by piece. */
    private static final class Pieces implements InvocationHandler {

        private final Connection h2;
        private final Lock turn;
        private final List<String> statements;
        private final Map<Integer, Object> values = new HashMap<>();
        private final Deque<PreparedStatement> results = new ArrayDeque<>();

        Pieces(Connection h2, String batch, Lock turn) {
            this.h2 = h2;
            this.turn = turn;
            this.statements = List.of(batch.split(";\n"));
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] given) throws Throwable {
            return switch (method.getName()) {
                case "setObject" -> values.put((Integer) given[0], given[1]);
                case "execute" -> execute();
                case "getResultSet" -> results.getFirst().executeQuery();
                case "getMoreResults" -> {
                    results.removeFirst().close();
                    yield !results.isEmpty();
                }
                case "getUpdateCount" -> -1;
                case "close" -> {
                    for (PreparedStatement query : results) {
                        query.close();
                    }
                    yield null;
                }
                default -> throw new UnsupportedOperationException(method.getName());
            };
        }

        /** Answers of all queries are kept, since they were asked before what follows them. */
        private boolean execute() throws SQLException {
            turn.lock();
            try {
                h2.setAutoCommit(false);
                int first = 1;
                long now = 0;
                for (String statement : statements) {
                    String sql = statement.strip().replace("@now", Long.toString(now));
                    if (statement.contains("DECLARE @now")) {
                        now = micros();
                    } else if (!sql.isEmpty() && !sql.startsWith("SET ") && !sql.endsWith(" TRANSACTION")) {
                        first = run(sql, first);
                    }
                }
                h2.commit();
            } finally {
                h2.rollback();
                h2.setAutoCommit(true);
                turn.unlock();
            }
            return !results.isEmpty();
        }

        private int run(String sql, int first) throws SQLException {
            PreparedStatement piece = h2.prepareStatement(sql);
            int marks = (int) sql.chars().filter(c -> c == '?').count();
            for (int i = 0; i < marks; i++) {
                piece.setObject(i + 1, values.get(first + i));
            }
            if (piece.execute()) {
                ResultSet rows = piece.getResultSet();
                results.addLast(proxy(PreparedStatement.class, (proxy, method, none) -> {
                    if (method.getName().equals("executeQuery")) {
                        return rows;
                    }
                    return call(piece, method, none);
                }));
            } else {
                piece.close();
            }
            return first + marks;
        }
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private static Object call(Object target, Method method, Object[] values) throws Throwable {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
