package io.fenceline.cli.command;

import io.fenceline.cli.output.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code fenceline completion}: prints a completion script. */
@Command(
        description = "Print a completion script for bash and zsh.",
        customSynopsis = "Usage: fenceline completion",
        footer = {
            "%nFor this shell:",
            "  source <(fenceline completion)",
            "For every new bash:",
            "  fenceline completion > ~/.local/share/bash-completion/completions/fenceline"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the field
public final class CompletionCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        root.getOut().print(AutoComplete.bash("fenceline", root));
        root.getOut().flush();
        return ExitCode.OK;
    }
}
