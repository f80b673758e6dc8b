package io.fenceline.cli.command;

import java.text.Normalizer;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Requires {@code --} before a command: {@code exec KEY sort -n} would parse the command's options as ours. The name can have one before it, too, and
 * has to if it begins with a hyphen: {@code exec -- -x -- sort -n}.
 */
final class DoubleDash {

    private static final String DASHES = "--";

    private DoubleDash() {}

    /**
     * Returns the command.
     *
     * @param usage the synopsis up to the command: {@code exec KEY}
     * @param name the KEY or GROUP that was parsed
     * @param words the arguments after it
     * @throws ParameterException if they are not what the user can have meant
     */
    static List<String> command(CommandSpec spec, String usage, String name, List<String> words) {
        List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
        int separator = arguments.indexOf(DASHES);
        List<String> after = separator < 0 ? List.of() : arguments.subList(separator + 1, arguments.size());
        String operand = usage.substring(usage.indexOf(' ') + 1);
        if (separator >= 0 && after.equals(words)) {
            return requireAny(spec, usage.replace(operand, name), words);
        }
        boolean nameFollows =
                after.size() == words.size() + 1 && composed(after.get(0)).equals(composed(name));
        boolean separated = !words.isEmpty() && words.get(0).equals(DASHES);
        if (nameFollows && (separated || name.startsWith("-"))) {
            List<String> command = separated ? words.subList(1, words.size()) : List.of();
            return requireAny(spec, usage.replace(operand, DASHES + " " + name), command);
        }
        if (nameFollows) {
            throw wrong(spec, operand + " is missing", usage, String.join(" ", after));
        }
        throw words.isEmpty()
                ? missing(spec, usage.replace(operand, name))
                : wrong(spec, "write -- before the command", usage.replace(operand, name), words.get(0));
    }

    /** The name was normalized when it was parsed. */
    private static String composed(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFC);
    }

    private static List<String> requireAny(CommandSpec spec, String before, List<String> command) {
        if (command.isEmpty()) {
            throw missing(spec, before);
        }
        return command;
    }

    private static ParameterException missing(CommandSpec spec, String before) {
        return wrong(spec, "CMD is missing", before, "CMD");
    }

    private static ParameterException wrong(CommandSpec spec, String problem, String before, String command) {
        return new ParameterException(spec.commandLine(), problem + ": fenceline " + before + " -- " + command);
    }
}
