package io.fenceline.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.testkit.net.FaultProxy;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** An outbox whose server's replies get lost, and one on a pool whose connections do not commit by themselves. */
@Timeout(60)
class OutboxFailureTest extends OutboxVocabulary {

    @Override
    OutboxFixture newFixture() {
        return new PostgresOutboxFixture();
    }

    @Test
    void tellsWhetherALostReplyMayHaveChangedSomething() throws Exception {
        charge("order:1", 7, "charge");
        PGSimpleDataSource far = ((PostgresOutboxFixture) fixture).unpooled();
        try (FaultProxy network = FaultProxy.to("127.0.0.1", far.getPortNumbers()[0])) {
            far.setPortNumbers(new int[] {network.port()});
            Outbox cut = Outbox.on(far, OutboxOptions.named("payments"));
            assertThat(cut.find("charge")).isPresent();

            assertThat(effect(network, "SELECT", cut::progress)).isEqualTo(Effect.NONE);
            assertThat(effect(network, "UPDATE", () -> cut.skip("charge", OPERATOR)))
                    .isEqualTo(Effect.UNKNOWN);
        }
        assertState("charge", OutboxState.SKIPPED);
    }

    private static Effect effect(FaultProxy network, String statement, ThrowingCallable call) throws Exception {
        CompletableFuture<byte[]> lost =
                network.loseReply(sent -> new String(sent, StandardCharsets.ISO_8859_1).contains(statement));
        BackendException failure = catchThrowableOfType(BackendException.class, call);
        lost.get(10, TimeUnit.SECONDS);
        return failure.effect();
    }

    @Test
    void worksOnAPoolWhoseConnectionsDoNotCommitByThemselves() throws SQLException, InterruptedException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(((PostgresOutboxFixture) fixture).unpooled());
            pool.setMaximumPoolSize(1);
            pool.setAutoCommit(false);
            charge("order:1", 7, "charge");
            outbox = Outbox.on(
                    pool,
                    OutboxOptions.named("payments"),
                    GuardOptions.defaults().withAutoCommitOff());
            outbox.installSchema();

            drain(relay(1, RelayOptions.defaults()));

            assertThat(receiver.heard).hasSize(1);
            assertState("charge", OutboxState.DELIVERED);
            assertThat(outbox.skip("not there", OPERATOR)).isFalse();
        }
        outbox = Outbox.on(source, OutboxOptions.named("payments"));
        assertState("charge", OutboxState.DELIVERED);
    }
}
