package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.command.ExecCommand;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.ProcessEnvironment;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PlainExecTest {

    private static final int LINES = Integer.getInteger("fenceline.lines", 500);
    private static final List<String> PIECES = List.of(
            "-n",
            "--nonblock",
            "-v",
            "--verbose",
            "-w",
            "1.5",
            "--wait",
            "-E",
            "7",
            "--conflict-exit-code",
            "--ttl",
            "2m",
            "--holder",
            "me",
            "--claim",
            "orders/42",
            "--kill-after",
            "1s",
            "--backend",
            "sqlite:x",
            "--debug",
            "--help",
            "-nE9",
            "--ttl=9s",
            "key",
            "-",
            "--",
            "--",
            "true",
            "@x",
            "exec");

    private final ProcessEnvironment environment = new ProcessEnvironment(
            Map.of(),
            InputStream.nullInputStream(),
            new PrintWriter(Writer.nullWriter()),
            new PrintWriter(Writer.nullWriter()),
            false);

    /** The parsed options that a run depends on. */
    private static List<Object> settings(CommandContext context, ExecCommand exec) {
        List<Object> settings = new ArrayList<>(List.of(exec.key, exec.words));
        settings.add(context.backend());
        settings.add(exec.stop.killAfter);
        settings.add(exec.acquire.nonblock);
        settings.add(exec.acquire.wait);
        settings.add(exec.acquire.lease.verbose);
        settings.add(exec.acquire.conflictExitCode);
        settings.add(exec.acquire.lease.ttl);
        settings.add(exec.acquire.holder);
        settings.add(exec.acquire.lease.claims);
        return settings;
    }

    private List<Object> byPicocli(String... arguments) {
        CommandContext context = new CommandContext(environment);
        CommandLine line = CommandTree.forArguments(context, arguments);
        CommandLine exec = line.parseArgs(arguments).subcommand().commandSpec().commandLine();
        return settings(context, exec.getCommand());
    }

    private List<Object> plainly(String... arguments) {
        CommandContext context = new CommandContext(environment);
        ExecCommand exec = PlainExec.parse(context, arguments);
        return exec == null ? List.of() : settings(context, exec);
    }

    @Test
    void readsAllOptions() {
        String[] line =
                ("exec -n -v -w 1.5 -E 7 --ttl 2m --holder me --claim a --claim b --kill-after 1s --backend sqlite:x key -- sort -n --")
                        .split(" ");
        assertThat(plainly(line)).isNotEmpty().isEqualTo(byPicocli(line));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "exec",
                "exec k",
                "exec k --",
                "exec k true",
                "exec --help k -- true",
                "exec --debug k -- true",
                "exec --ttl x k -- true",
                "exec -- -k -- true",
                "exec -w",
                "ls -- exec",
                "exec k -n -- true"
            })
    void leavesToPicocliWhatIsNotPlain(String line) {
        assertThat(plainly(line.split(" "))).isEmpty();
    }

    @Test
    void neverUnderstandsALineOtherwiseThanPicocliDoes() {
        long seed = Long.getLong("fenceline.seed", System.nanoTime());
        Random random = new Random(seed);
        int understood = 0;
        for (int i = 0; i < LINES; i++) {
            String[] line = randomLine(random);
            List<Object> plain = plainly(line);
            if (!plain.isEmpty()) {
                understood++;
                assertThat(plain)
                        .as("-Dfenceline.seed=%d: %s", seed, List.of(line))
                        .isEqualTo(byPicocli(line));
            }
        }
        assertThat(understood).as("-Dfenceline.seed=%d", seed).isPositive();
    }

    /** Words at random would hardly ever be a command line, so half of them are bent into one. */
    private static String[] randomLine(Random random) {
        List<String> line = new ArrayList<>(List.of("exec"));
        for (int words = random.nextInt(8); words > 0; words--) {
            line.add(PIECES.get(random.nextInt(PIECES.size())));
        }
        if (random.nextBoolean()) {
            line.addAll(List.of("key", "--", "true", PIECES.get(random.nextInt(PIECES.size()))));
        }
        return line.toArray(String[]::new);
    }
}
