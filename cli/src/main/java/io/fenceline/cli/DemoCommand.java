package io.fenceline.cli;

import io.fenceline.cli.demo.Demo;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fenceline demo}: tells the whole story with real processes. */
@Command(
        description = {
            "Watch a stale holder being refused.",
            "%nA worker is stopped past its ttl, another takes over, the first wakes up and writes: once to a table that"
                    + " believes every writer, once to one that checks the token."
        },
        customSynopsis = "Usage: fenceline demo [OPTIONS]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it went as told", "1:it went otherwise"})
final class DemoCommand implements Callable<Integer> {

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            description = "The ttl of the workers' leases, which is what there is to wait for. Default: 2s.")
    private Duration ttl = Duration.ofSeconds(2);

    @Override
    public Integer call() throws IOException, InterruptedException {
        boolean coloured = CommandLine.Help.Ansi.AUTO.enabled();
        return new Demo(System.out, coloured, ttl).play() ? ExitCode.OK : ExitCode.NO;
    }
}
