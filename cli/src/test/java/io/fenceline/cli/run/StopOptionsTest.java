package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.cli.output.CommandFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StopOptionsTest {

    private final StopOptions options = new StopOptions();

    @Test
    void theGraceIsASixthOfTheTtlAndAtMostFiveSeconds() {
        assertThat(options.grace(Duration.ofSeconds(12))).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.grace(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.grace(Duration.ofMinutes(10))).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aGraceThatIsGivenIsAtMostAThirdOfTheTtl() {
        options.killAfter = Duration.ofSeconds(10);

        assertThat(options.grace(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(10));
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> options.grace(Duration.ofSeconds(29)))
                .withMessageContaining("--kill-after 10")
                .withMessageContaining("give a longer --ttl");
    }
}
