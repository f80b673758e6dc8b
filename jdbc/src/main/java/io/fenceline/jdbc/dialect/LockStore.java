package io.fenceline.jdbc.dialect;

import io.fenceline.telemetry.Redaction;
import java.time.Duration;

/**
 * Where the locks are.
 *
 * @param database the database
 * @param table its table
 * @param answerLimit how long the database may take to answer
 * @param redaction how keys and lock ids are hidden
 */
public record LockStore(Database database, LockTable table, Duration answerLimit, Redaction redaction) {}
