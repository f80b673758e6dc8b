package io.fenceline.cli;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that list. */
final class ListOptions {

    @Mixin
    private Output output = new Output();

    @Option(names = "--limit", paramLabel = "N", description = "List so many at the most. Default: 1000.")
    private int limit = 1000;

    /**
     * How many to ask for: one more than are listed, which tells whether there are more.
     *
     * @throws CommandFailure if the limit allows none
     */
    int asked() {
        if (limit < 1 || limit == Integer.MAX_VALUE) {
            throw new CommandFailure(ExitCode.USAGE, "--limit " + limit + " lists nothing; give at least 1");
        }
        return limit + 1;
    }

    /**
     * Prints what was found.
     *
     * @param nothing what people read if there are none
     */
    void print(Fenceline root, List<List<Fact>> found, String nothing) throws IOException {
        boolean more = found.size() > limit;
        output.many(root.surroundings().output(), more ? found.subList(0, limit) : found, nothing);
        if (more) {
            root.complaints().tell("there are more than " + limit + "; give a PREFIX or a greater --limit");
        }
    }
}
