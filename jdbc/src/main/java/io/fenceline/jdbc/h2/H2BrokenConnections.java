package io.fenceline.jdbc.h2;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/**
 * Tells HikariCP which of H2's errors end a connection. Without it HikariCP lends a broken connection again for as long as it is asked for
 * often: it tests only one that was idle for half a second.
 */
final class H2BrokenConnections implements SQLExceptionOverride {

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException e) {
        return H2Errors.endsTheConnection(e.getErrorCode())
                ? SQLExceptionOverride.Override.MUST_EVICT
                : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
}
