package io.fenceline.cli.command;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockBackend;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fenceline guard remove}: removes the triggers of a table. */
@Command(
        description = "Remove the triggers of a table. Its fences and counts stay.",
        customSynopsis = "Usage: fenceline guard remove [OPTIONS] --table T")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GuardRemoveCommand implements Callable<Integer> {

    private final CommandContext context;

    @Option(names = "--table", required = true, paramLabel = "TABLE", description = "The table, as in SQL.")
    private String table;

    GuardRemoveCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        try (LockBackend backend = context.open()) {
            context.triggers(backend).remove(table);
            return ExitCode.OK;
        }
    }
}
