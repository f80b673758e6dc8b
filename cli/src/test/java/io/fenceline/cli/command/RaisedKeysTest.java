package io.fenceline.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockKey;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RaisedKeysTest {

    private final StringWriter told = new StringWriter();
    private final RaisedKeys keys = new RaisedKeys("", new ErrorOutput(new PrintWriter(told, true), () -> false));

    @Test
    void goOnAfterTheLastOneThatWasTriedIfAFailureEndsThem() {
        keys.raise(LockKey.of("a"), () -> {});
        keys.raise(LockKey.of("b"), () -> {
            throw new CommandFailure(ExitCode.TOKEN_REFUSED, "b is at the greatest token");
        });
        keys.close();

        assertThat(told.toString().lines())
                .containsExactly(
                        "fenceline: b is at the greatest token",
                        "fenceline: 1 locks were raised; to go on, repeat the command with --after 'b'");
        assertThat(keys.refused()).isOne();
    }

    @Test
    void haveNothingToGoOnWithWhenTheyAreComplete() {
        keys.raise(LockKey.of("a"), () -> {});
        keys.complete();
        keys.close();

        assertThat(told.toString()).isEmpty();
    }

    @Test
    void areNotRaisedAnyMoreOnceASignalHasTheirNumberPrinted() {
        List<String> raised = new ArrayList<>();
        keys.raise(LockKey.of("a"), () -> raised.add("a"));
        keys.end(); // as the shutdown hook does

        assertThat(keys.raise(LockKey.of("b"), () -> raised.add("b"))).isFalse();
        assertThat(raised).containsExactly("a");
        assertThat(told.toString())
                .isEqualToIgnoringNewLines(
                        "fenceline: 1 locks were raised; to go on, repeat the command with --after 'a'");
    }
}
