package io.fenceline.cli.command;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Requires {@code --} before a command: {@code exec KEY sort -n} would parse the command's options as ours. */
final class DoubleDash {

    private DoubleDash() {}

    /** Throws {@link ParameterException} if there is none between {@code before} and {@code words}, the command. */
    static void require(CommandSpec spec, String before, List<String> words) {
        List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
        int separator = arguments.indexOf("--");
        if (separator < 0 || !arguments.subList(separator + 1, arguments.size()).equals(words)) {
            throw new ParameterException(
                    spec.commandLine(), "write -- before the command: fenceline " + before + " -- " + words.get(0));
        }
    }
}
