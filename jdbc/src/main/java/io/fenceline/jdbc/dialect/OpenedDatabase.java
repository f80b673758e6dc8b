package io.fenceline.jdbc.dialect;

import java.util.Optional;
import javax.sql.DataSource;

/**
 * A database that was opened by its URI.
 *
 * @param source gives connections
 * @param signals gives the connection for signals; empty if the product has none or the URI switched them off
 * @param layout the tables that the URI names
 * @param closing closes what was opened
 * @param making called before anything is made, so that a database that is missing itself may be made as well
 */
public record OpenedDatabase(
        DataSource source, Optional<SignalLine> signals, TableLayout layout, Runnable closing, Runnable making) {

    /**
     * Creates the description of a database that is there.
     *
     * @param source gives connections
     * @param signals gives the connection for signals
     * @param layout the tables that the URI names
     * @param closing closes what was opened
     */
    public OpenedDatabase(DataSource source, Optional<SignalLine> signals, TableLayout layout, Runnable closing) {
        this(source, signals, layout, closing, () -> {});
    }
}
