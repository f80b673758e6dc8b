package io.fenceline.jdbc.mariadb;

import java.sql.Connection;
import java.sql.SQLException;
import org.mariadb.jdbc.util.constants.ServerStatus;

/** The server's status flags of a connection with its last answer, as far as MariaDB's driver is there and tells them. */
final class ServerState {

    private static final boolean DRIVER = isThere();

    private ServerState() {}

    static boolean isKnown(Connection connection) throws SQLException {
        return DRIVER && Drivers.isWrapper(connection);
    }

    static boolean isInTransaction(Connection connection) throws SQLException {
        return Drivers.isInTransaction(connection);
    }

    private static boolean isThere() {
        try {
            Class.forName("org.mariadb.jdbc.Connection", false, ServerState.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException optional) {
            return false;
        }
    }

    /** Loaded only if the driver is there. */
    private static final class Drivers {

        static boolean isWrapper(Connection connection) throws SQLException {
            return connection.isWrapperFor(org.mariadb.jdbc.Connection.class);
        }

        static boolean isInTransaction(Connection connection) throws SQLException {
            int status = connection
                    .unwrap(org.mariadb.jdbc.Connection.class)
                    .getContext()
                    .getServerStatus();
            return (status & ServerStatus.IN_TRANSACTION) != 0;
        }
    }
}
