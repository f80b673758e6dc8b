package io.fenceline.jdbc.dialect;

import javax.sql.DataSource;

/**
 * A database that was opened by its URI.
 *
 * @param source gives connections
 * @param signals gives the connection for signals
 * @param layout the tables that the URI names
 * @param closing closes what was opened
 */
public record OpenedDatabase(DataSource source, SignalLine signals, TableLayout layout, Runnable closing) {}
