package io.fenceline.jdbc.trigger;

import io.fenceline.FencingToken;
import java.time.Instant;
import java.util.Optional;

/**
 * Writes of one kind that an observing trigger let pass and an enforcing one would have refused.
 *
 * @param table the table, as the database names it
 * @param operation {@code INSERT}, {@code UPDATE}, {@code DELETE} or {@code TRUNCATE}
 * @param reason {@code missing}, {@code unbound}, {@code malformed}, {@code stale} or {@code foreign}
 * @param presented the token of the latest one, if it had one
 * @param highest what the latest one's resource had seen, if anything
 * @param seen how many there were
 * @param firstAt when the first was seen, by the database's clock
 * @param lastAt when the latest was seen, by the database's clock
 */
public record ObservedWrites(
        String table,
        String operation,
        String reason,
        Optional<FencingToken> presented,
        Optional<FencingToken> highest,
        long seen,
        Instant firstAt,
        Instant lastAt) {}
