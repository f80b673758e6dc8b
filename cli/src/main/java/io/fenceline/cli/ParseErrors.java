package io.fenceline.cli;

import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ExitCode;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints what is wrong with the arguments, in one line, with suggestions. */
final class ParseErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {

    private final ErrorOutput errors;

    ParseErrors(ErrorOutput errors) {
        this.errors = errors;
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        errors.print(
                message(e) + suggestion(e, arguments) + " (see '"
                        + command.getCommandSpec().qualifiedName() + " --help')",
                e);
        return ExitCode.USAGE;
    }

    private static String message(ParameterException e) {
        boolean hasCommands = !e.getCommandLine().getSubcommands().isEmpty();
        return hasCommands && e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()
                ? "no command '" + unmatched.getUnmatched().get(0) + "'"
                : String.valueOf(e.getMessage()).replaceFirst("^Error: ", "");
    }

    private static String suggestion(ParameterException e, String[] arguments) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            List<String> suggestions = unmatched.getSuggestions();
            if (suggestions.contains(unmatched.getUnmatched().get(0))) {
                return "; options come before --";
            }
            if (!suggestions.isEmpty()) {
                return "; did you mean '" + String.join("' or '", suggestions) + "'?";
            }
            return unmatched.isUnknownOption() ? hyphenHint(e.getCommandLine().getCommandSpec()) : "";
        }
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        boolean hyphenated = Stream.of(arguments).anyMatch(word -> word.startsWith("-") && !isOption(spec, word));
        return e instanceof MissingParameterException && hyphenated ? hyphenHint(spec) : "";
    }

    private static boolean isOption(CommandSpec spec, String word) {
        String name =
                word.startsWith("--") ? word.replaceFirst("=.*", "") : word.substring(0, Math.min(2, word.length()));
        return spec.findOption(name) != null;
    }

    private static String hyphenHint(CommandSpec spec) {
        return spec.positionalParameters().stream()
                .findFirst()
                .map(operand -> "; a " + operand.paramLabel() + " that begins with a hyphen follows --")
                .orElse("");
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        return errors.failure(e);
    }
}
