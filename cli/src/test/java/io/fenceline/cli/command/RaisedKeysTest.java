package io.fenceline.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockKey;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class RaisedKeysTest {

    private final StringWriter told = new StringWriter();
    private final RaisedKeys keys = new RaisedKeys("", new ErrorOutput(new PrintWriter(told, true), () -> false));

    @Test
    void goOnAfterTheLastOneThatWasTriedIfAFailureEndsThem() {
        keys.add(LockKey.of("a"));
        keys.refuse(LockKey.of("b"), new CommandFailure(ExitCode.TOKEN_REFUSED, "b is at the greatest token"));
        keys.close();

        assertThat(told.toString().lines())
                .containsExactly(
                        "fenceline: b is at the greatest token",
                        "fenceline: 1 locks were raised; to go on, repeat the command with --after 'b'");
        assertThat(keys.refused()).isOne();
    }

    @Test
    void haveNothingToGoOnWithWhenTheyAreComplete() {
        keys.add(LockKey.of("a"));
        keys.complete();
        keys.close();

        assertThat(told.toString()).isEmpty();
    }
}
