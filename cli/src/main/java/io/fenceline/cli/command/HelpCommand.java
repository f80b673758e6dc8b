package io.fenceline.cli.command;

import io.fenceline.cli.output.ExitCode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fenceline help}: prints what {@code --help} prints. */
@Command(description = "Explain a command.", customSynopsis = "Usage: fenceline help [COMMAND]")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class HelpCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..2", hidden = true)
    private List<String> names = List.of();

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        CommandLine explained = root;
        for (String name : names) {
            explained = explained.getSubcommands().get(name);
            if (explained == null) {
                throw new ParameterException(root, "no command '" + String.join(" ", names) + "'");
            }
        }
        explained.usage(root.getOut());
        return ExitCode.OK;
    }
}
