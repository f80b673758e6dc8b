package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Backends;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code token bump --all} that a signal breaks off, and its continuation. */
class TokenBumpIT {

    private static final int KEYS = 3000;
    private static final Pattern HOW_TO_GO_ON = Pattern.compile("(\\d+) locks were raised; .* --after '(.*)'");

    @TempDir
    private Path folder;

    @Test
    void saysHowToGoOnWhenItIsInterrupted() throws IOException {
        FencelineProcess.requireHeard("INT");
        try (TestStore store = TestStore.in(folder)) {
            fill(store.uri());
            Matcher told;
            try (FencelineProcess bump = FencelineProcess.start(store.uri(), "token", "bump", "--all", "--by", "7")) {
                assertThat(bump.jvm().errorReader().readLine()).contains("1000 locks raised, up to ");
                bump.signal("INT");
                CommandRun end = bump.end();
                assertThat(end.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
                told = HOW_TO_GO_ON.matcher(end.err());
                assertThat(told.find()).as(end.err()).isTrue();
            }
            int raised = Integer.parseInt(told.group(1));
            assertThat(raised).isBetween(1000, KEYS - 1);

            String[] rest = {"token", "bump", "--all", "--by", "7", "--after", told.group(2), "--json"};
            assertThat(store.run(rest).out()).contains("\"raised\":" + (KEYS - raised));
        }
    }

    private static void fill(String uri) {
        try (LockBackend backend = Backends.open(uri)) {
            LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
            for (int i = 0; i < KEYS; i++) {
                catalog.raiseToken(LockKey.of("k" + i), FencingToken.of(1), Holder.of("us"));
            }
        }
    }
}
