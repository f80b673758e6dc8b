package io.fenceline.cli.command;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that print a list. */
final class ListOptions {

    @Mixin
    private ResultOutput output = new ResultOutput();

    @Option(names = "--limit", paramLabel = "N", description = "List at most N. Default: 1000.")
    private int limit = 1000;

    /**
     * The number of records to query: one more than the limit, to detect that there are more.
     *
     * @throws CommandFailure if the limit is below 1
     */
    private int asked() {
        if (limit < 1) {
            throw new CommandFailure(ExitCode.USAGE, "--limit " + limit + " is out of range; give at least 1");
        }
        return limit == Integer.MAX_VALUE ? limit : limit + 1;
    }

    /** Reads records of an open store. */
    interface Query {

        List<List<OutputField>> rows(LockBackend backend, int limit);
    }

    /** Opens the store and prints the records of a query, or {@code nothing} as text if there are none. */
    void print(CommandContext context, Query query, String nothing) throws IOException {
        int asked = asked();
        List<List<OutputField>> found;
        try (LockBackend backend = context.open()) {
            found = query.rows(backend, asked);
            if (found.isEmpty()) {
                context.noteMissingTables(backend);
            }
        }
        print(context, found, nothing);
    }

    /** Prints the records, or {@code nothing} as text if there are none. */
    private void print(CommandContext context, List<List<OutputField>> found, String nothing) throws IOException {
        boolean more = found.size() > limit;
        output.many(context.output(), more ? found.subList(0, limit) : found, nothing);
        if (more) {
            context.errors().print("there are more than " + limit + "; give a PREFIX or a greater --limit");
        }
    }
}
