package io.fenceline.cli;

import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ExitCode;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
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
                message(e) + suggestion(e) + " (see '"
                        + command.getCommandSpec().qualifiedName() + " --help')",
                e);
        return ExitCode.USAGE;
    }

    private static String message(ParameterException e) {
        boolean root = e.getCommandLine().getParent() == null;
        return root && e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()
                ? "no command '" + unmatched.getUnmatched().get(0) + "'"
                : String.valueOf(e.getMessage());
    }

    private static String suggestion(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            List<String> suggestions = unmatched.getSuggestions();
            return suggestions.isEmpty() ? "" : "; did you mean '" + String.join("' or '", suggestions) + "'?";
        }
        return "";
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        return errors.failure(e);
    }
}
