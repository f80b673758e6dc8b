package io.fenceline.jdbc.guard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;

/**
 * The connection that a body gets. What would end the transaction, and with it the protection, is refused; so is what would let
 * the guard's commit find no transaction. Going back to a savepoint that the body has set is allowed.
 */
final class GuardedConnection {

    private static final Set<String> ENDINGS = Set.of("commit", "close", "abort", "setAutoCommit");

    private GuardedConnection() {}

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (ends(method)) {
                        throw new IllegalStateException(
                                "connection." + method.getName()
                                        + "() in a guarded write: the guard ends its transaction; throw an exception to roll back");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static boolean ends(Method method) {
        return ENDINGS.contains(method.getName())
                || (method.getName().equals("rollback") && method.getParameterCount() == 0);
    }
}
