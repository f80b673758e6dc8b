package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.election.Election;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code fenceline leaders}: lists leaders. */
@Command(
        description = {
            "List the leaders of groups.",
            "%nShows for each group its leader, the term, when the term began, and when it ends unless it is renewed."
        },
        customSynopsis = "Usage: fenceline leaders [OPTIONS] [PREFIX]")
public final class LeadersCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ListOptions listing = new ListOptions();

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "List only groups that start with PREFIX.")
    private String prefix = "";

    public LeadersCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        int asked = listing.asked();
        List<List<OutputField>> rows = new ArrayList<>();
        try (LockBackend backend = context.open()) {
            LockCatalog catalog = context.locks(backend);
            for (LockRecord lease : catalog.list(LockKey.prefix(Election.KEY_PREFIX + prefix), asked)) {
                rows.add(RecordFields.ofLeader(lease));
            }
            if (rows.isEmpty()) {
                context.noteMissingTables(backend);
            }
        }
        listing.print(context, rows, "no group has a leader");
        return ExitCode.OK;
    }
}
