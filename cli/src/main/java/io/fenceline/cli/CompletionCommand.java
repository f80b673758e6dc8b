package io.fenceline.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code fenceline completion}: prints a script that completes the words of this command line. */
@Command(
        description = "Print a completion script for bash and zsh.",
        customSynopsis = "Usage: fenceline completion",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footer = {
            "%nFor this shell:",
            "  source <(fenceline completion)",
            "For every bash:",
            "  fenceline completion > ~/.local/share/bash-completion/completions/fenceline"
        })
final class CompletionCommand implements Callable<Integer> {

    private final Fenceline root;

    CompletionCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        Surroundings surroundings = root.surroundings();
        surroundings.output().print(AutoComplete.bash("fenceline", CommandTree.whole(surroundings)));
        surroundings.output().flush();
        return ExitCode.OK;
    }
}
