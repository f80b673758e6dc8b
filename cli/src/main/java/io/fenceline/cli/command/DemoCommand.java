package io.fenceline.cli.command;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.demo.Demo;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.run.LeaseOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fenceline demo}: shows with real processes how a guard refuses a stale holder. */
@Command(
        description = {
            "Watch a guard refuse a stale holder.",
            "%nA worker is stopped for longer than its ttl and another one acquires the lock. Then the first resumes and"
                    + " writes: once to a table without a guard, once to a guarded table."
        },
        customSynopsis = "Usage: fenceline demo [OPTIONS]",
        exitCodeList = {"0:as described", "1:anything else"})
public final class DemoCommand implements Callable<Integer> {

    private final CommandContext context;

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            description =
                    "Ttl of the workers' leases; the demo waits for it twice; seconds unless it has a unit. Default: 2s.")
    private Duration ttl = Duration.ofSeconds(2);

    public DemoCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (context.backend() != null) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "the demo brings SQLite files of its own and uses no other store; leave --backend out");
        }
        boolean coloured = CommandLine.Help.Ansi.AUTO.enabled();
        return new Demo(context.output(), coloured, LeaseOptions.requireTtl(ttl)).play() ? ExitCode.OK : ExitCode.NO;
    }
}
