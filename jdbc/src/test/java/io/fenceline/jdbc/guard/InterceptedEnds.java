package io.fenceline.jdbc.guard;

import io.fenceline.jdbc.BoundDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Lets a test do what it likes where a transaction is committed or rolled back, by a call or by SQL. */
final class InterceptedEnds {

    private InterceptedEnds() {}

    /** What a test does in place of the end of a transaction. */
    @FunctionalInterface
    interface Interception {
        void end(String how, End real) throws SQLException;
    }

    /** The end that is asked for. */
    @FunctionalInterface
    interface End {
        void run() throws SQLException;
    }

    static DataSource of(DataSource source, Interception interception) {
        return new BoundDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return proxy(Connection.class, source.getConnection(), interception);
            }
        };
    }

    private static <T> T proxy(Class<T> type, T target, Interception interception) {
        return type.cast(Proxy.newProxyInstance(
                InterceptedEnds.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String how = how(method, arguments);
                    if (how.equals("commit") || how.equals("rollback")) {
                        interception.end(how, () -> answer(target, method, arguments));
                        return method.getReturnType() == boolean.class ? false : null;
                    }
                    Object answer = answer(target, method, arguments);
                    return method.getName().equals("createStatement")
                            ? proxy(Statement.class, (Statement) answer, interception)
                            : answer;
                }));
    }

    private static String how(Method method, Object @Nullable [] arguments) {
        boolean isSql = method.getName().equals("execute") && arguments != null;
        return isSql ? String.valueOf(arguments[0]).toLowerCase(Locale.ROOT) : method.getName();
    }

    private static @Nullable Object answer(Object target, Method method, Object @Nullable [] arguments)
            throws SQLException {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException refused) {
                throw refused;
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
