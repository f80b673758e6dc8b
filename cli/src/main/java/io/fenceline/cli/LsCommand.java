package io.fenceline.cli;

import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline ls}: lists running leases. */
@Command(
        description = "List the locks that are held.",
        customSynopsis = "Usage: fenceline ls [OPTIONS] [PREFIX]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n")
final class LsCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private Output output = new Output();

    @Option(names = "--limit", paramLabel = "N", description = "List so many at the most. Default: 1000.")
    private int limit = 1000;

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "What their keys start with.")
    private String prefix = "";

    LsCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        if (limit < 1 || limit == Integer.MAX_VALUE) {
            throw new CommandFailure(ExitCode.USAGE, "--limit " + limit + " lists nothing; give at least 1");
        }
        List<List<Fact>> rows = new ArrayList<>();
        try (LockBackend backend = root.open()) {
            for (LockRecord lease : root.ability(backend, LockCatalog.class).list(prefix, limit + 1)) {
                rows.add(LeaseFacts.of(lease));
            }
        }
        boolean more = rows.size() > limit;
        output.many(root.surroundings().output(), more ? rows.subList(0, limit) : rows, "no lock is held");
        if (more) {
            root.complaints().tell("there are more than " + limit + "; give a PREFIX or a greater --limit");
        }
        return ExitCode.OK;
    }
}
