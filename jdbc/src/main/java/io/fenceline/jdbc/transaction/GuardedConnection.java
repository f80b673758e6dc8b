package io.fenceline.jdbc.transaction;

import io.fenceline.jdbc.product.FenceDialect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The connection that a body gets, its statements and its metadata. What would end the transaction, and with it the
 * protection, is refused: as a call, and as the first words of an SQL text. Going back to a savepoint that the body has set is
 * allowed. What passes by here, in the middle of a script or through {@code unwrap}, is found before the commit: {@link
 * FenceDialect#watch}.
 */
final class GuardedConnection {

    private static final Set<String> ENDINGS = Set.of("commit", "close", "abort", "setAutoCommit");

    private static final Pattern ENDING = Pattern.compile(
            "(?:\\s|;|--[^\\n]*\\n|/\\*.*?\\*/)*+(?:commit|abort|rollback(?!\\s+(?:(?:work|transaction)\\s+)?to\\b)|end"
                    + "|set\\b[^;]*?\\bautocommit(?!\\s*=?\\s*(?:0|off|false)\\b))\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private GuardedConnection() {}

    static Connection of(Connection connection) {
        return proxy(Connection.class, (guarded, method, arguments) -> {
            if (ends(method)) {
                throw refused("connection." + method.getName() + "()");
            }
            Object answer = answer(connection, method, arguments);
            if (answer instanceof Statement statement) {
                return guarded(statement, (Connection) guarded);
            }
            return answer instanceof DatabaseMetaData metaData
                    ? belonging(DatabaseMetaData.class, metaData, (Connection) guarded)
                    : answer;
        });
    }

    private static Statement guarded(Statement statement, Connection guarded) {
        if (statement instanceof CallableStatement) {
            return belonging(CallableStatement.class, statement, guarded);
        }
        return statement instanceof PreparedStatement
                ? belonging(PreparedStatement.class, statement, guarded)
                : belonging(Statement.class, statement, guarded);
    }

    /** What knows its connection tells the guarded one. */
    private static <T> T belonging(Class<T> type, Object object, Connection guarded) {
        return proxy(
                type,
                (proxy, method, arguments) ->
                        method.getName().equals("getConnection") ? guarded : answer(object, method, arguments));
    }

    private static <T> T proxy(Class<T> type, Calls calls) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, calls::answer));
    }

    private static @Nullable Object answer(Object object, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (arguments != null
                && arguments.length > 0
                && arguments[0] instanceof String sql
                && takesSql(method.getName())
                && ENDING.matcher(sql).matches()) {
            throw refused(sql.strip());
        }
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static boolean takesSql(String method) {
        return method.startsWith("execute") || method.startsWith("prepare") || method.equals("addBatch");
    }

    private static IllegalStateException refused(String what) {
        return new IllegalStateException(
                what + " in a guarded write: the guard ends its transaction; throw an exception to roll back");
    }

    private static boolean ends(Method method) {
        return ENDINGS.contains(method.getName())
                || (method.getName().equals("rollback") && method.getParameterCount() == 0);
    }

    @FunctionalInterface
    private interface Calls {
        @Nullable
        Object answer(Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
    }
}
