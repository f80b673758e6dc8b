package io.fenceline.jdbc.product;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Source of the connection that listens for signals: it is kept, nothing else runs on it, and no pooler shares it. */
public interface ListenConnectionSource {

    /** Opens the connection. */
    Connection open() throws SQLException;

    /**
     * Returns how long a reader may wait for a signal at a stretch without looking up whether there is something else to do.
     *
     * @return a short time if {@link #wake} does nothing
     */
    Duration stretch();

    /** Lets a reader that waits for a signal look up. Called by any thread. */
    void wake();

    /**
     * Lets the reader be woken from now on, or not.
     *
     * @param waits whether it waits for a signal; it must not be woken amid a statement
     */
    void reading(boolean waits);

    /**
     * Takes the connection from a data source. Its reader cannot be woken, so it looks up often.
     *
     * @param source gives the connection, directly and not through a pooler
     */
    static ListenConnectionSource from(DataSource source) {
        return new ListenConnectionSource() {
            @Override
            public Connection open() throws SQLException {
                return ConnectionSource.of(source).open(Integer.MAX_VALUE);
            }

            @Override
            public Duration stretch() {
                return Duration.ofMillis(20);
            }

            @Override
            public void wake() {}

            @Override
            public void reading(boolean waits) {}
        };
    }
}
