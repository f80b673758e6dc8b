package io.fenceline.cli.command;

import io.fenceline.cli.output.ExitCode;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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

    @Parameters(arity = "0..1", hidden = true)
    private @Nullable String name;

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        Map<String, CommandLine> commands = root.getSubcommands();
        CommandLine explained = name == null ? root : commands.get(name);
        if (explained == null) {
            throw new ParameterException(root, "no command '" + name + "'");
        }
        explained.usage(root.getOut());
        return ExitCode.OK;
    }
}
