package io.fenceline.jdbc.product;

import java.util.Optional;
import javax.sql.DataSource;

/**
 * A database that was opened by its URI.
 *
 * @param signals gives the connection for signals; empty if the product has none or the URI switched them off
 * @param making called before anything is made, so that a database that is missing itself may be made as well
 */
public record OpenedDatabase(
        DataSource source,
        Optional<ListenConnectionSource> signals,
        TableLayout layout,
        Runnable closing,
        Runnable making) {

    /** Creates the description of a database that is there. */
    public OpenedDatabase(
            DataSource source, Optional<ListenConnectionSource> signals, TableLayout layout, Runnable closing) {
        this(source, signals, layout, closing, () -> {});
    }
}
