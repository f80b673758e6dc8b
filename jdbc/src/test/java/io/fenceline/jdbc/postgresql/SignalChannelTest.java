package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which signals a waiter is told of after its process has yielded. */
@Tag("L7")
class SignalChannelTest {

    private final SignalChannel channel =
            new SignalChannel(SignalId.of(new LockTable(LockTable.DEFAULT_NAME), LockKey.of("hot")));

    @BeforeEach
    void subscribe() {
        channel.listens();
        channel.add("waiter", signal -> {});
    }

    @Test
    void allButTheLastOfTheOthersArePassedOver() {
        channel.passOver(2, 100);

        assertThat(channel.hear(10)).isEmpty();
        assertThat(channel.hear(20)).isEmpty();
        assertThat(channel.hear(30)).hasSize(1);
        assertThat(channel.hear(40)).hasSize(1);
    }

    @Test
    void nothingIsPassedOverWhenTheirTimeIsOver() {
        channel.passOver(2, 100);

        assertThat(channel.hear(100)).hasSize(1);
    }

    @Test
    void aSignalThatWasPassedOverCountsAsHeard() {
        long before = channel.heard();
        channel.passOver(1, 100);

        channel.hear(10);

        assertThat(channel.heard()).isEqualTo(before + 1);
    }
}
