package io.fenceline.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DemoIT {

    @Test
    void corruptsTheUnguardedTableAndProtectsTheGuardedOne() throws Exception {
        StringWriter out = new StringWriter();

        boolean asExpected = new Demo(new PrintWriter(out), false, Duration.ofSeconds(2)).play();

        String timeline = out.toString();
        assertThat(asExpected).as(timeline).isTrue();
        assertThat(timeline)
                .containsSubsequence(
                        "CORRUPTED: balance 110",
                        "is refused: token 000000000000001 is older than 000000000000002",
                        "PROTECTED: balance 125")
                .doesNotContain("\u001b");
    }
}
