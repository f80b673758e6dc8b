package io.fenceline.jdbc.outbox;

import java.time.Instant;

/**
 * A message as it stands in the outbox.
 *
 * @param id its place in the order
 * @param message what was added
 * @param state how far it has come
 * @param attempts deliveries that were begun
 * @param compensations compensations that were begun
 * @param addedAt when it was added, by the database's clock
 * @param nextAttemptAt not tried before then, by the database's clock
 * @param lastError what the last attempt or an operator said, empty if there was nothing to say
 */
public record OutboxEntry(
        long id,
        OutboxMessage message,
        OutboxState state,
        int attempts,
        int compensations,
        Instant addedAt,
        Instant nextAttemptAt,
        String lastError) {}
