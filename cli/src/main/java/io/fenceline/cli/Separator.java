package io.fenceline.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The {@code --} before a command, without which {@code exec KEY sort -n} would take the command's options for ours. */
final class Separator {

    private Separator() {}

    /**
     * Does nothing if the separator is there.
     *
     * @param before what stands before it, for the message
     * @param words the command behind it
     * @throws ParameterException if it is not
     */
    static void require(CommandSpec spec, String before, List<String> words) {
        List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
        int separator = arguments.indexOf("--");
        if (separator < 0 || !arguments.subList(separator + 1, arguments.size()).equals(words)) {
            throw new ParameterException(
                    spec.commandLine(), "write -- before the command: fenceline " + before + " -- " + words.get(0));
        }
    }
}
