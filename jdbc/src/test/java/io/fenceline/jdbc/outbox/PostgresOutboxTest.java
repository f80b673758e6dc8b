package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The outbox on PostgreSQL. */
class PostgresOutboxTest {

    @Test
    void mayLieInAnotherSchemaUnderAnotherName() throws Exception {
        try (PostgresOutboxFixture here = new PostgresOutboxFixture();
                PostgresOutboxFixture there = new PostgresOutboxFixture()) {
            Outbox outbox =
                    Outbox.on(here.source(), OutboxOptions.named("mails").withTable(there.schema() + ".messages"));
            outbox.installSchema();
            outbox.installSchema();
            JdbcFenceGuard guard = JdbcFenceGuard.on(here.source());
            guard.schema().installSchema();
            FenceStamp stamp = new FenceStamp(LockKey.of("a"), FencingToken.of(1));
            guard.<Boolean, RuntimeException>call(
                    "a", stamp, connection -> outbox.add(connection, OutboxMessage.of("a", stamp, "k", "d", "text")));

            Outbox seenFromThere =
                    Outbox.on(there.source(), OutboxOptions.named("mails").withTable("messages"));
            assertThat(seenFromThere.find("k")).isPresent();
            assertThat(outbox.schemaScript()).doesNotContain("fenceline_outbox");
        }
    }

    @Nested
    class Adding extends AddingContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }

    @Nested
    class Delivering extends DeliveringContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }

    @Nested
    class WhatIsGivenUp extends GivingUpContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }

    @Nested
    class ARelay extends RelayContract {
        @Override
        OutboxFixture newFixture() {
            return new PostgresOutboxFixture();
        }
    }
}
