package io.fenceline.examples.http;

import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.http.FenceFilter;
import io.fenceline.http.FencedEndpoints;
import io.fenceline.http.GuardedExchange;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The two ways to guard an endpoint. */
public final class FencedOrders {

    private FencedOrders() {}

    /** The filter guards: right for what this process alone keeps, in memory or in its files. */
    public static FenceFilter inThisProcess() {
        return FenceFilter.guarding(
                new MemoryFenceGuard(), FencedEndpoints.defaults().under("/orders"));
    }

    /** The handler guards, in the transaction of its effect: right for a database. */
    public static FenceFilter inTheDatabase(JdbcFenceGuard guard) {
        return FenceFilter.forGuardedHandlers(FencedEndpoints.defaults().under("/orders"))
                .withClaims(guard);
    }

    /** A handler behind the second filter. What the guard throws, the filter answers. */
    public static final class Orders extends HttpServlet {

        private final transient JdbcFenceGuard guard;

        public Orders(JdbcFenceGuard guard) {
            this.guard = guard;
        }

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String status = request.getReader().readLine();
            GuardedExchange exchange = GuardedExchange.of(request);
            try {
                guard.write(
                        exchange.resource(),
                        exchange.stamp(),
                        connection -> update(connection, request.getPathInfo(), status));
            } catch (SQLException e) {
                throw new IOException("the order was not written", e);
            }
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        }

        private static int update(Connection connection, String order, String status) throws SQLException {
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE orders SET status = ? WHERE path = ?")) {
                update.setString(1, status);
                update.setString(2, order);
                return update.executeUpdate();
            }
        }
    }
}
